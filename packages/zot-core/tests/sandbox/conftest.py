"""A sandbox for a project beside what must stay out of reach."""

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_world import SandboxWorld

_DETACH = 2  # MNT_DETACH of umount(2)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxWorld]:
    """Return a world whose home is that of the process."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = SandboxWorld(tmp_path)
    yield made
    made.sandbox.close()


@pytest.fixture
def mounted(world: SandboxWorld, mounts: str) -> Iterator[SandboxWorld]:
    """Return a world whose readable folder has the processes and the terminals of the machine once more."""
    libc, made = ctypes.CDLL(None), []
    try:
        for kind in ("proc", "devpts"):
            point = world.other / kind
            point.mkdir()
            assert libc.mount(kind.encode(), bytes(point), kind.encode(), ctypes.c_ulong(0), None) == 0
            made.append(point)
        first, world.sandbox = world.sandbox, world.open()
        yield world
        first.close()
    finally:
        for point in made:
            libc.umount2(bytes(point), _DETACH)
