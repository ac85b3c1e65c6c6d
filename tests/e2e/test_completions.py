"""What Tab completes after `zot`, in real shells."""

import subprocess
from pathlib import Path

import pexpect
import pytest
from command import Zot
from waiting import PATIENCE

CASES = [  # zsh leaves out the slash after a folder
    ("zot doc\t", "doctor"),
    ("zot config uns\t", "config unset"),
    ("zot config set edit\tvi", "config set editor_mode vi"),
    ("zot --prov\tdeeps\t", "--provider deepseek"),
    ("zot rpc --reas\txh\t", "rpc --reasoning xhigh"),
    ("zot ext inst\tsome\t", "ext install some-folder"),
    ("zot --cwd some\t", "--cwd some-folder"),
    ("zot completions fi\t", "completions fish"),
]
STARTS = {
    "bash": (["--norc", "--noprofile"], "bind 'set enable-bracketed-paste off'"),
    "zsh": (["-f"], "autoload -Uz compinit; compinit -u -C -D"),
}


@pytest.fixture
def folder(zot: Zot) -> Path:
    """The project."""
    (zot.cwd / "some-folder").mkdir()
    return zot.cwd


def script(zot: Zot, shell: str) -> Path:
    """Write the script of a shell to a file."""
    done = zot.run("completions", shell)
    assert (done.code, done.err) == (0, "")
    path = zot.cwd.parent / f"completions.{shell}"
    path.write_text(done.out)
    return path


@pytest.mark.parametrize("shell", ["bash", pytest.param("zsh", marks=pytest.mark.needs("zsh"))])
def test_tab_completes_commands_flags_and_their_values(zot: Zot, folder: Path, shell: str) -> None:
    arguments, start = STARTS[shell]
    env = zot.env | {"TERM": "dumb", "INPUTRC": "/dev/null", "HISTFILE": ""}
    typed = pexpect.spawn(shell, [*arguments, "-i"], cwd=str(folder), env=env, encoding="utf-8", timeout=PATIENCE)
    try:
        typed.sendline(f'{start}; source {script(zot, shell)}; zot() {{ echo "got:$*:"; }}; echo now-""ready')
        typed.expect("now-ready")
        for line, expected in CASES:
            typed.send(f"{line}\r")
            typed.expect("got:(.*?):")
            assert typed.match.group(1).rstrip(" /") == expected
    finally:
        typed.close(force=True)


@pytest.mark.needs("fish")
def test_fish_offers_commands_flags_and_their_values(zot: Zot, folder: Path) -> None:
    path = script(zot, "fish")

    def offered(line: str) -> list[str]:
        command = ["fish", "--no-config", "-c", f"source {path}; complete -C '{line}'"]
        done = subprocess.run(command, cwd=folder, env=zot.env, capture_output=True, timeout=PATIENCE, check=True)
        assert done.stderr == b""
        return [row.split("\t")[0] for row in done.stdout.decode().splitlines()]

    assert offered("zot doc") == ["doctor"]
    assert offered("zot config ") == ["get", "list", "path", "set", "unset"]
    assert offered("zot config set edi") == ["editor_mode"]
    assert offered("zot --provider deeps") == ["deepseek"]
    assert offered("zot rpc --reasoning xh") == ["xhigh"]
    assert offered("zot --cwd some") == ["some-folder/"]
    assert "--no-session" in offered("zot --no-s")
    assert offered("zot completions b") == ["bash"]
