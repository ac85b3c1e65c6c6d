"""Extensions written for pi, each in the bridge, a real process of Node, at a fake host."""

import os
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pi_zot import pi_environment
from waiting import PATIENCE

from zot_agent.pi.runtime import BRIDGE
from zot_ext import ExtensionLimits
from zot_ext.protocol.from_extension import CAPABILITIES, Ready
from zot_ext.testing import FakeHost

LIMITS = ExtensionLimits(intercept_seconds=PATIENCE, shutdown_seconds=PATIENCE, write_seconds=PATIENCE)
ANSWERS: dict[str, Any] = {
    "control.state": {"busy": False, "queued": 0, "usage": {"input": 7, "output": 2}},
    "control.context": {"tokens": 9, "window": 90},
    "model.get": {"provider": "fake", "model": "m", "reasoning": "low", "reasoning_used": "low", "context_window": 90},
    "model.list": {"models": [{"id": "m", "provider": "fake", "name": "M", "context_window": 90}]},
    "session.entries": {"entries": [], "more": False},
    "session.append": {"id": "e1"},
    "request.extend": {},
}

Bridge = Callable[..., FakeHost]


@contextmanager
def _running(
    folder: Path, cache: Path, sources: tuple[str, ...], calls: dict[str, Any], tools: dict[str, Any]
) -> Iterator[FakeHost]:
    paths = []
    for number, source in enumerate(sources):
        path = folder / f"extension{number or ''}.ts"
        path.write_text(textwrap.dedent(source))
        paths.append(str(path))
    environment = pi_environment(os.environ) | {"ZOT_PI_CACHE": str(cache), "ZOT_EXT_PATIENCE": "1"}
    with (
        (folder / "errors").open("ab") as errors,
        subprocess.Popen(
            ["node", BRIDGE, *paths], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        host = FakeHost(
            process, cwd=str(folder), data_dir=str(folder), capabilities=CAPABILITIES, limits=LIMITS,
            calls={**ANSWERS, **calls}, host_tools=tools,
        )  # fmt: skip
        for name, value in {"mode": "tui", "has_ui": True}.items():
            setattr(host.ack, name, value)
        with host:
            host.wait_for(Ready, seconds=PATIENCE)
            yield host


@pytest.fixture
def bridge(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    """Starts the bridge with the sources of extensions; `calls` are answers of the host, by method."""
    cache = tmp_path_factory.getbasetemp() / "pi-cache"
    with ExitStack() as stack:

        def start(*sources: str, calls: dict[str, Any] | None = None, tools: dict[str, Any] | None = None) -> FakeHost:
            return stack.enter_context(_running(tmp_path, cache, sources, calls or {}, tools or {}))

        yield start
