"""`AtLeast`: a bound on a numeric parameter of a tool."""

from typing import NamedTuple


class AtLeast(NamedTuple):
    """The smallest value of a numeric parameter: `Annotated[int, "description", AtLeast(1)]`."""

    minimum: float
