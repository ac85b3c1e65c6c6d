"""A disk that is full: no file may be larger than a limit, and what goes beyond is written in part, then not at all.

No byte code is written meanwhile. Python does not notice that a file of byte code was cut, and cannot import it again.
"""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ZOT = """
import os, resource, sys
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[2])))
del sys.argv[1:3]
from zot_agent.entry import main
sys.exit(main())
"""


def zot_on_full_disk(limit: int, may_be_raised: bool = False) -> tuple[str, ...]:
    """Arguments of Python that start zot where no file may be larger than so many bytes, nor one of its children.

    A child may raise the limit again if `may_be_raised`.
    """
    return ("-c", ZOT, str(limit), str(resource.RLIM_INFINITY if may_be_raised else limit))


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """Let no file of this process become larger than so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    writes_none, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = writes_none
