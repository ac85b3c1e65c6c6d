import importlib
import sys
from pathlib import Path

import pytest

from zot_agent.local.server import LocalServer
from zot_provider.errors import ConfigError
from zot_provider.registry import ModelRegistry


async def test_a_library_that_the_engine_lacks_is_named_and_the_model_is_not_blamed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1: cannot open shared object file')")
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)  # an earlier test may have loaded the real one
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    with pytest.raises(ConfigError) as caught:
        await LocalServer("model.gguf").start(ModelRegistry().provider("local"))
    assert str(caught.value) == (
        "llama.cpp, which runs the model, cannot be loaded: libgomp.so.1: cannot open shared object file; install that "
        "library (Debian, Ubuntu: apt install libgomp1; Fedora: dnf install libgomp), then try again"
    )
