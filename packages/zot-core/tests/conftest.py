"""A context over real files and a real shell in a temporary directory."""

from pathlib import Path

import pytest

from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell, ShellLimits
from zot_core.tools.definition.context import ToolContext


@pytest.fixture
def shell() -> LocalShell:
    return LocalShell(ShellLimits(kill_after=0.5, linger=0.05, drain_interval=0.02))


@pytest.fixture
def context(tmp_path: Path, shell: LocalShell) -> ToolContext:
    return ToolContext(str(tmp_path), LocalFiles(), shell)
