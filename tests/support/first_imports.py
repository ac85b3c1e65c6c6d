"""`import_share`: the workers of a test run divide the work of compiling the tests.

pytest rewrites the assertions of a module when it is imported first, which takes longer than all else of collecting it.
Workers begin at the same time and collect in the same order, so each of them would rewrite every module.
"""

import sys
from contextlib import suppress
from pathlib import Path

import pytest


def import_share(session: pytest.Session, worker: int, workers: int) -> None:
    """Import the modules that are this worker's share. The others leave theirs compiled meanwhile."""
    places = [Path(session.config.invocation_params.dir, argument) for argument in session.config.args]
    files = sorted(path for place in places for path in place.rglob("test_*.py") if "node_modules" not in path.parts)
    for path in files[worker::workers]:
        known = set(sys.modules)
        # Whatever is wrong with a module is said when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            assert pytest.Module.from_parent(session, path=path).obj
            continue
        for name in sys.modules.keys() - known:
            del sys.modules[name]
