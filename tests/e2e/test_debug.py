"""`--debug` and `zot doctor`: what helps when something does not work, and never shows a key."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from command import Zot
from extension_folder import write_extension
from waiting import PATIENCE

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

KEY = "sk-test-0123456789-secret"
OTHER = "ghp_another_secret"


def log(zot: Zot) -> str:
    path: Path = zot.home / "logs" / "zot.log"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    assert KEY not in text
    assert OTHER not in text
    return text


def test_requests_are_in_the_log_and_keys_are_not(zot: Zot, server: ScriptedServer) -> None:
    zot.env["GITHUB_TOKEN"], zot.env["DB_PW"] = OTHER, OTHER + "2"
    server.add(Turn(calls=[Call("bash", {"command": "echo $GITHUB_TOKEN $DB_PW"})]), "ok")
    done = zot.ask(server, "-p", "a question", "--no-session", "--debug")
    assert (done.code, done.out, done.err) == (0, "ok\n", "")
    text = log(zot)
    assert text.count(" DEBUG zot_provider.client.http POST http://127.0.0.1:") == 2
    assert '"content":"a question"' in text
    assert "*** ***" in text


def test_what_a_server_repeats_is_struck_out_too(zot: Zot) -> None:
    fault = Fault(status=401, body={"error": {"message": "wrong key given-key-0815"}})
    with ScriptedServer([Turn(fault=fault)]) as server:
        done = zot.ask(server, "-p", "x", "--api-key", "given-key-0815", env=zot.env | {"ZOT_DEBUG": "1"})
    assert done.code == 1
    assert "given-key-0815" not in done.line()
    text = log(zot)
    assert "wrong key ***" in text
    assert "given-key-0815" not in text


def test_a_mistake_of_ours_is_in_the_log_with_its_traceback(zot: Zot) -> None:
    zot.env["ZOT_DEBUG"] = "1"
    script = (
        "import sys; from zot_agent.cli import SUBCOMMANDS, Subcommand; import zot_agent.cli.main as main\n"
        f"SUBCOMMANDS['broken'] = Subcommand('zot_agent.{OTHER}', '')\n"
        "sys.exit(main.run(['broken']))"
    )
    env = zot.env | {"MY_SECRET": OTHER}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    text = log(zot)
    assert "Traceback (most recent call last):" in text
    assert "ModuleNotFoundError: No module named 'zot_agent.***'" in text


def test_without_it_there_is_no_log(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    assert zot.ask(server, "-p", "x", env=zot.env | {"ZOT_DEBUG": "0"}).code == 0
    assert not (zot.home / "logs").exists()


def test_a_log_that_cannot_be_written_is_one_line(zot: Zot) -> None:
    zot.home.mkdir()
    (zot.home / "logs").touch()
    done = zot.run("-p", "x", "--debug")
    assert done.code == 2
    assert done.line().startswith(f"cannot write the log {zot.home}/logs/zot.log: ")
    assert done.line().endswith("; leave out --debug")


def test_a_log_and_a_trace_that_would_be_waited_for_are_refused(zot: Zot, server: ScriptedServer) -> None:
    (zot.home / "logs").mkdir(parents=True)
    os.mkfifo(zot.home / "logs" / "zot.log")
    done = zot.ask(server, "-p", "x", "--debug")
    assert (done.code, done.line().partition("zot.log: ")[2]) == (2, "not a regular file; leave out --debug")
    folder = write_extension(zot.cwd.parent / "quiet", "")
    done = zot.ask(server, "-p", "x", "-e", str(folder), "--ext-trace", str(zot.home / "logs" / "zot.log"))
    assert done.code == 2
    assert done.line().endswith("zot.log: not a regular file; name another file after --ext-trace")
    assert server.requests == []


def test_the_doctor_asks_every_endpoint_that_has_a_key(zot: Zot) -> None:
    with ScriptedServer(key=KEY) as good, ScriptedServer(key="another") as strict:
        zot.env |= {"ANTHROPIC_BASE_URL": good.url, "OPENAI_BASE_URL": strict.base_url("openai-chat")}
        done = zot.run("doctor")
        assert (done.code, done.err) == (0, "")
        assert f"ok  anthropic         ANTHROPIC_API_KEY is set; {good.url} lists 1 model\n" in done.out
        assert "no  openai            OPENAI_API_KEY is set, but the server answered 401" in done.out
        asked = len(good.requests)
        done = zot.run("doctor", "--offline")
        assert done.code == 0
        assert f"ANTHROPIC_API_KEY is set; {good.url} was not contacted\n" in done.out
        assert len(good.requests) == asked
    assert not zot.home.exists()


def test_the_doctor_says_what_is_wrong_by_its_code(zot: Zot) -> None:
    zot.home.write_text("a file")
    done = zot.run("doctor", "--offline")
    assert done.code == 1
    assert f"no  home              {zot.home} (not writable)\n" in done.out
    zot.home.unlink()
    zot.env = zot.keyless_env
    done = zot.run("doctor", "--offline")
    assert done.code == 1
    assert done.out.endswith("\nno model is usable: set a key, start a local server, or run zot local setup\n")
