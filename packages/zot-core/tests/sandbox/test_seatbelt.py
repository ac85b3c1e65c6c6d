"""The profile for macOS, as text: nothing of it is run here."""

import os
import re
import sys

import pytest
from sandbox_world import SandboxWorld

from zot_core.machine.shell import Launch
from zot_core.sandbox import landlock, seatbelt
from zot_core.sandbox.limits import SandboxLimits
from zot_core.sandbox.policy import SandboxPolicy

POLICY = SandboxPolicy(
    "/w/p",
    "/h",
    {"/h": "none", "/h/bin": "read", "/h/src/p": "write", "/h/src/p/.git": "read", "/h/src/p/a/keys": "none"},
    "/scratch",
)


def rules(policy: SandboxPolicy, port: int = 0) -> list[str]:
    """Return the rules about paths and the network, with the paths in place of parameters."""
    text, values = seatbelt.profile(policy, port)
    for name, value in values.items():
        text = text.replace(f'(param "{name}")', value)
    *lines, last = text.partition('sandbox.pty")))\n')[2].splitlines()
    assert last == "(deny file-write-setugid)"  # the last rule that fits counts
    return lines


def test_a_longer_path_comes_later_and_so_counts() -> None:
    assert rules(POLICY) == [
        "",
        "(deny file-read* file-write* (subpath /h))",
        "(allow file-read* (subpath /h/bin))",
        "(deny file-write* (subpath /h/bin))",
        "(allow file-read-metadata (literal /h))",
        "(allow file-read* file-write* (subpath /h/src/p))",
        "(allow file-read-metadata (literal /h/src))",
        "(allow file-read-metadata (literal /h))",
        "(allow file-read* (subpath /h/src/p/.git))",
        "(deny file-write* (subpath /h/src/p/.git))",
        "(deny file-read* file-write* (subpath /h/src/p/a/keys))",
        "(deny file-write-unlink (literal /h/src/p/a))",
    ]


def test_a_folder_of_work_in_another_one_cannot_be_renamed() -> None:
    paths = {"/w": "write", "/w/p": "write", "/w/p/.git": "read", "/w/.git": "read"}
    lines = rules(POLICY.replace(paths=paths))
    assert [line for line in lines if "unlink" in line] == ["(deny file-write-unlink (literal /w/p))"]


def test_terminals_of_other_windows_are_neither_read_nor_written() -> None:
    text, _ = seatbelt.profile(POLICY)
    lines = [line.strip() for line in text.splitlines() if "tty" in line]
    assert lines == [
        "(allow pseudo-tty)",
        '(allow file-write-data file-ioctl (regex #"^/dev/(null|zero|tty|ptmx|fd/.*)$"))',
        '(deny file-read-data (regex #"^/dev/ttys[0-9]+$"))',
        '(require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
    ]


def test_only_the_port_of_a_proxy_is_reached() -> None:
    assert rules(POLICY, 3128)[-1] == '(allow network-outbound (remote ip "localhost:3128"))'
    assert "network" not in seatbelt.profile(POLICY)[0]


def test_new_processes_and_the_whole_network_are_separate_rules() -> None:
    usual = rules(POLICY)
    assert rules(POLICY.replace(processes=False)) == [*usual, "(deny process-fork)"]
    more = rules(POLICY.replace(open_network=True))[len(usual) :]
    assert [line.partition(' ip "')[0] for line in more] == [
        "(allow network-outbound (remote", "(allow network-inbound network-bind (local",
    ]  # fmt: skip


def test_a_path_is_a_parameter_and_cannot_change_the_profile() -> None:
    policy = POLICY.replace(paths={'/a") (allow default) ("': "write"})
    launch = seatbelt.confined(Launch(["true"], "/w/p", {"A": "1"}), policy, SandboxLimits(), 0)
    assert launch.argv[:2] == ["/usr/bin/sandbox-exec", "-p"]
    assert "allow default" not in launch.argv[2]
    assert launch.argv[3:5] == ["-D", 'P0=/a") (allow default) ("']
    assert launch.env == {"A": "1", "TMPDIR": "/scratch"}


def test_a_profile_is_made_of_lists_and_nothing_else() -> None:
    text, _ = seatbelt.profile(POLICY.replace(processes=False, open_network=True), 3128)
    text, lists = re.sub('#?"[^"]*"', "", text), 1
    while lists:
        text, lists = re.subn(r"\([^()]*\)", "", text)
    assert not text.split()


def test_it_is_missing_elsewhere() -> None:
    assert bool(seatbelt.problem()) == (os.uname().sysname != "Darwin")


@pytest.mark.parametrize("there", [True, False])
def test_a_mac_starts_commands_with_its_own_program_or_none(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "access", lambda path, _: there and path == "/usr/bin/sandbox-exec")
    landlock.problem.cache_clear()
    launch = Launch(["true"], str(world.project), {})
    if there:
        assert world.sandbox.confine(launch).argv[:2] == ["/usr/bin/sandbox-exec", "-p"]
    else:
        with pytest.raises(OSError, match="the sandbox needs /usr/bin/sandbox-exec, which is not there"):
            world.sandbox.confine(launch)
    landlock.problem.cache_clear()  # for others it is the kernel of this machine
