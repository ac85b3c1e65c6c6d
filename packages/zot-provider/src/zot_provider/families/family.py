"""`Family`: facts about all models with similar ids."""

from typing import Literal, TypeAlias

from zot_provider.model import Thinking
from zot_provider.record import Record

Sampling: TypeAlias = Literal["always", "unthinking", "never"]
"""When a model accepts a temperature: always, only while it does not think, or never."""


class Family(Record):
    """Facts about the models of a vendor whose normal id (see `normal_id`) begins with one of `ids`.

    An id fits as a whole, or up to a component that is no number: `gpt-5` fits `gpt-5-mini` and `gpt-5-2025-08-07`, but
    not `gpt-5-2`, which is another version. An id with a star at its end fits everything that begins with it.

    `thinking` is None for a model that cannot think. `context_window` and `max_output` are in tokens, 0 if the models
    differ. `images`: whether it reads images.
    """

    ids: tuple[str, ...]
    thinking: Thinking | None = None
    context_window: int = 0
    max_output: int = 0
    images: bool = False
    sampling: Sampling = "always"

    def fits(self, id: str) -> bool:
        """Whether the normal id belongs to this family."""
        return any(_fits(id, each) for each in self.ids)


def _fits(id: str, beginning: str) -> bool:
    if beginning.endswith("*"):
        return id.startswith(beginning[:-1])
    if not id.startswith(beginning):
        return False
    rest = id[len(beginning) :]
    following = rest[1:].partition("-")[0]
    return not rest or (rest[0] == "-" and not (following.isdigit() and len(following) < 3))
