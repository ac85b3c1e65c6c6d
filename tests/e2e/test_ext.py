"""`zot ext` as a person uses it: installs and removes, is stopped halfway, follows a log, asks at a terminal."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest
from command import Zot
from waiting import PATIENCE, wait_until

PROGRAM = "#!/bin/sh\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "weather")


def write(folder: Path) -> Path:
    folder.mkdir(parents=True)
    manifest = {"name": folder.name, "version": "1.0.0", "exec": "./run", "description": "current weather"}
    (folder / "extension.json").write_text(json.dumps(manifest, indent=2) + "\n")
    (folder / "run").write_text(PROGRAM)
    (folder / "run").chmod(0o755)
    return folder


def repository(folder: Path) -> str:
    write(folder)
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "--quiet"], ["add", "--all"], [*who, "commit", "--quiet", "-m", "one"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return f"file://{folder}"


def listed(zot: Zot) -> list[dict[str, Any]]:
    done = zot.run("ext", "list", "--json")
    assert (done.code, done.err) == (0, "")
    (value,) = done.objects
    found: list[dict[str, Any]] = value["extensions"]
    return found


def test_the_whole_life_of_an_extension(zot: Zot, source: Path) -> None:
    done = zot.run("ext", "install", "../weather")
    place = zot.home / "extensions" / "weather"
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"installed in {place}"
    assert os.access(place / "run", os.X_OK)
    assert [(each["name"], each["enabled"], each["dir"]) for each in listed(zot)] == [("weather", True, str(place))]
    before = (place / "extension.json").read_text()
    assert zot.run("ext", "disable", "weather").out == f"weather is now disabled ({place})\n"
    assert [each["enabled"] for each in listed(zot)] == [False]
    assert zot.run("ext", "enable", "weather").code == 0
    assert json.loads((place / "extension.json").read_text()) == json.loads(before) | {"enabled": True}
    assert zot.run("ext", "doctor", "--no-start").code == 0
    assert "confirm it with --yes" in zot.run("ext", "remove", "weather").line()
    assert zot.run("ext", "remove", "weather", "-y").out == "weather was removed\n"
    assert listed(zot) == []
    assert os.listdir(zot.home / "extensions") == []


def test_the_seeds_command_line_works_from_inside_the_folder(zot: Zot, source: Path) -> None:
    assert zot.run("ext", "install", ".", cwd=source).code == 0
    assert os.listdir(zot.home / "extensions") == ["weather"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "unknown command 'zot ext nonsense'"),
        (["install"], "the following arguments are required"),
        (["install", "nowhere"], "there is no folder nowhere"),
        (["install", "file:///nowhere/at/all"], "so confirm it with --yes"),
        (["install", "file:///nowhere/at/all", "--yes"], "git clone: "),
        (["install", "https://h/.."], "is not a valid name for the folder of an extension"),
        (["install", "\udcff"], "there is no folder"),
        (["remove", "nothing"], "unknown extension 'nothing'"),
        (["logs"], "the following arguments are required"),
        (["list", "--jsn"], "unrecognized arguments: --jsn"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(zot: Zot, arguments: list[str], words: str) -> None:
    done = zot.run("ext", *arguments)
    assert words in done.line()
    assert (done.code, done.out) == (2, "")


def test_without_arguments_it_prints_its_help(zot: Zot) -> None:
    done = zot.run("ext")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: zot ext COMMAND ...\n")
    assert "  ext       " in zot.run("--help").out


def test_a_reader_that_goes_away_is_no_failure(zot: Zot, source: Path) -> None:
    zot.run("ext", "install", str(source))
    done = zot.shell("zot ext list | true; exit ${PIPESTATUS[0]}")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_clone_that_is_stopped_leaves_nothing(zot: Zot, number: int, code: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        port = server.getsockname()[1]
        process = zot.start("ext", "install", f"git://127.0.0.1:{port}/weather.git", "--yes")
        connection, _ = server.accept()  # git waits for an answer now
        with connection:
            process.send_signal(number)
            done = zot.finish(process)
            connection.settimeout(PATIENCE)
            while connection.recv(4096):
                pass  # until git has ended too
    assert done.code == code
    assert done.err == ("zot: stopped\n" if number == signal.SIGINT else "")
    assert os.listdir(zot.home / "extensions") == []


def test_a_copy_that_is_stopped_leaves_nothing(zot: Zot, source: Path) -> None:
    (source / "data").touch()
    for number in range(20_000):
        (source / str(number)).hardlink_to(source / "data")
    place = zot.home / "extensions"
    process = zot.start("ext", "install", str(source))
    wait_until(lambda: place.exists() and os.listdir(place), "the copy has begun", pause=0.001)
    process.send_signal(signal.SIGINT)
    done = zot.finish(process)
    assert (done.code, done.err) == (130, "zot: stopped\n")
    assert os.listdir(place) == []


def test_a_clone_is_updated(zot: Zot, tmp_path: Path) -> None:
    origin = tmp_path / "origin" / "weather"
    assert zot.run("ext", "install", repository(origin), "--yes").code == 0
    text = (origin / "extension.json").read_text().replace("1.0.0", "1.1.0")
    (origin / "extension.json").write_text(text)
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-a", "-m", "two"]
    subprocess.run(command, cwd=origin, check=True)
    done = zot.run("ext", "update")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("weather was updated: 1.0.0 -> 1.1.0 (")
    assert [(each["version"], each["enabled"]) for each in listed(zot)] == [("1.1.0", True)]


def logs(zot: Zot) -> Path:
    folder: Path = zot.home / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "ext-weather.log"


def test_a_log_comes_out_as_it_is(zot: Zot, source: Path) -> None:
    zot.run("ext", "install", str(source))
    done = zot.run("ext", "logs", "weather")
    assert done.code == 1
    assert done.line().startswith(f"{logs(zot)} does not exist: ")
    text = b"[zot] hello\n\xff\x1b[2J\n" + b"x" * 200_000 + b"\nhalf"
    logs(zot).write_bytes(text)
    with open(zot.cwd / "out", "wb") as out:
        assert zot.run("ext", "logs", "weather", stdout=out).code == 0
    assert (zot.cwd / "out").read_bytes() == text


def test_a_log_is_followed_when_it_begins_anew(zot: Zot, source: Path) -> None:
    zot.run("ext", "install", str(source))
    process = zot.start("ext", "logs", "weather", "-f")
    assert process.stderr.readline().endswith(b"has logged nothing\n")
    with open(logs(zot), "ab", buffering=0) as log:
        log.write(b"one\ntwo\n")
        assert [process.stdout.readline() for _ in range(2)] == [b"one\n", b"two\n"]
        log.truncate(0)  # as the log of a running extension begins anew
        log.write(b"3\n")
        assert process.stdout.readline() == b"3\n"
    logs(zot).rename(logs(zot).with_suffix(".1"))
    logs(zot).write_bytes(b"four\n")
    assert process.stdout.readline() == b"four\n"
    process.send_signal(signal.SIGINT)
    done = zot.finish(process)
    assert (done.code, done.out, done.err) == (130, "", "")


def test_following_a_log_ends_when_nobody_reads(zot: Zot, source: Path) -> None:
    zot.run("ext", "install", str(source))
    logs(zot).write_bytes(b"one\n")
    process = zot.start("ext", "logs", "weather", "--follow")
    assert process.stdout.readline() == b"one\n"
    process.stdout.close()
    with process:
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


def at_terminal(zot: Zot, *arguments: str) -> "pexpect.spawn[str]":
    words = ["-m", "zot_agent", *arguments]
    env = zot.env | {"TERM": "xterm"}
    return pexpect.spawn(sys.executable, words, cwd=str(zot.cwd), env=env, encoding="utf-8", timeout=PATIENCE)


@pytest.mark.parametrize(("answer", "enabled"), [("y", True), ("yes", True), ("n", False), ("", False)])
def test_a_person_is_asked_whether_a_clone_may_run(zot: Zot, tmp_path: Path, answer: str, enabled: bool) -> None:
    terminal = at_terminal(zot, "ext", "install", repository(tmp_path / "origin" / "weather"))
    terminal.expect_exact("cloning file://")
    terminal.expect_exact("  runs       ./run")
    terminal.expect_exact("let weather run? [y/N] ")
    assert listed(zot) == []  # while the question stands open
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert [each["enabled"] for each in listed(zot)] == [enabled]
    assert os.listdir(zot.home / "extensions") == ["weather"]


def test_ctrl_c_at_the_question_leaves_nothing(zot: Zot, tmp_path: Path) -> None:
    terminal = at_terminal(zot, "ext", "install", repository(tmp_path / "origin" / "weather"))
    terminal.expect_exact("let weather run? [y/N] ")
    terminal.sendintr()
    terminal.expect_exact("zot: stopped")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130
    assert os.listdir(zot.home / "extensions") == []


def test_a_person_is_asked_before_something_is_deleted(zot: Zot, source: Path) -> None:
    zot.run("ext", "install", str(source))
    for answer, code, left in (("n", 1, 1), ("y", 0, 0)):
        terminal = at_terminal(zot, "ext", "remove", "weather")
        terminal.expect_exact("everything in it? [y/N] ")
        terminal.sendline(answer)
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == code
        assert len(listed(zot)) == left


def test_what_an_extension_wrote_cannot_take_over_the_terminal(zot: Zot, source: Path) -> None:
    zot.run("ext", "install", str(source))
    logs(zot).write_bytes(b"a\x1b]0;title\x07b\x1b[2Jc\n")
    terminal = at_terminal(zot, "ext", "logs", "weather")
    terminal.expect(pexpect.EOF)
    assert terminal.before == "abc\r\n"
    terminal.close()


@pytest.mark.parametrize(
    "arguments",
    [
        *(
            "ext list",
            "ext logs x",
            "ext doctor",
            "ext new foo",
            "ext install .",
            "ext install --project .",
            "ext remove x",
        ),
        *("ext check .", "doctor --offline"),
    ],
)
def test_a_working_directory_that_was_deleted_is_one_line(zot: Zot, arguments: str) -> None:
    done = zot.shell(f"mkdir gone; cd gone; rmdir ../gone; zot {arguments}")
    assert (done.code, done.out) == (2, "")
    assert done.line() == "the current directory no longer exists; change to another one"


@pytest.mark.parametrize(("answer", "runs"), [("y", True), ("n", False)])
def test_a_person_is_asked_what_an_extension_with_permissions_may_do(
    zot: Zot, source: Path, answer: str, runs: bool
) -> None:
    manifest = json.loads((source / "extension.json").read_text())
    (source / "extension.json").write_text(json.dumps(manifest | {"permissions": {"network": ["a.test"]}}))
    terminal = at_terminal(zot, "ext", "install", str(source))
    terminal.expect_exact("  may        connect to a.test")
    terminal.expect_exact("let weather do this? [y/N] ")
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert [each["trusted"] for each in listed(zot)] == [runs]
