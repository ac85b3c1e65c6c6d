"""The files of runs travel: from a git URL to a worker, to the next worker, and to a branch, a patch or a command."""

import os
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command import Zot
from fleet_runs import record_of
from fleet_servers import Postgres, Workers
from waiting import PATIENCE, wait_until

from zot_agent.fleet.store.folder import FolderStore
from zot_agent.fleet.trees import RunTree, TreeError
from zot_provider.testing import Call, Received, ScriptedServer, Turn


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=p", "-c", "user.email=p@x", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A bare repository with two files, which can be fetched and pushed to."""
    work, bare = tmp_path / "work-of-person", tmp_path / "origin.git"
    work.mkdir()
    git(work, "init", "--quiet")
    (work / "a.txt").write_text("alpha\n")
    (work / "run.sh").write_text("true\n")
    (work / "run.sh").chmod(0o755)
    (work / ".gitignore").write_text("*.tmp\n")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "-m", "first")
    git(work, "clone", "--quiet", "--bare", str(work), str(bare))
    return bare


@pytest.fixture
def web(tmp_path: Path, origin: Path) -> Iterator[str]:
    """The address of the repository over http."""

    class Backend(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            asked = {"REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query}
            for name in ("Content-Type", "Content-Encoding", "Git-Protocol"):
                asked[name.upper().replace("-", "_")] = self.headers.get(name, "")
            asked["HTTP_CONTENT_ENCODING"] = asked.pop("CONTENT_ENCODING")
            served = {"GIT_PROJECT_ROOT": str(tmp_path), "GIT_HTTP_EXPORT_ALL": "1"}
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=os.environ | served | asked, check=True, capture_output=True
            )
            head, _, body = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Backend) as running:
        running.socket.settimeout(1)  # a connection that was seen may be gone before it is accepted, see accept(2)
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/{origin.name}"
        running.shutdown()
        thread.join()


def store_with_run(tmp_path: Path) -> FolderStore:
    store = FolderStore(str(tmp_path / "store"))
    store.create("run", [b"{}\n"])
    return store


def state(folder: str) -> dict[str, tuple[bytes, int]]:
    """The content and mode of all files outside of git's own folder."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and ".git" not in path.parts:
            found[str(path.relative_to(folder))] = (path.read_bytes(), path.stat().st_mode & 0o111)
    return found


def fetched(tree: RunTree) -> None:
    """Fetch the files as the engine does: it tries an attempt again that the network has failed."""
    try:
        tree.fetch()
    except TreeError:
        tree.fetch()


def test_another_machine_finds_the_files_of_the_last_state(tmp_path: Path, origin: Path, web: str) -> None:
    store = store_with_run(tmp_path)
    for url in (str(origin), f"file://{origin}", web):
        one = RunTree("run", str(tmp_path / "one"), {"url": url}, {}, store)
        fetched(one)
        files = Path(one.files)
        assert (files / "a.txt").read_text() == "alpha\n"
        assert one.keep() is None
        (files / "a.txt").write_text("changed\n")
        (files / "run.sh").unlink()
        (files / "new folder").mkdir()
        (files / "new folder" / "b\n.bin").write_bytes(bytes(range(256)))
        (files / "left.tmp").write_text("not kept")
        git(files, "add", "a.txt")
        git(files, "commit", "--quiet", "-m", "the model's own")
        (files / "a.txt").write_text("changed again\n")
        kept = one.keep()
        assert kept is not None
        assert one.keep() is None
        other = RunTree("run", str(tmp_path / "two"), {"url": url}, kept, store)
        fetched(other)
        (files / "left.tmp").unlink()
        assert state(other.files) == state(one.files)
        assert git(Path(other.files), "log", "--format=%s") == "the model's own\nfirst"
        assert "a.txt" in git(Path(other.files), "status", "--porcelain")
        assert other.keep() is None


def test_nothing_in_the_files_makes_git_start_a_program(tmp_path: Path, origin: Path) -> None:
    store, mark = store_with_run(tmp_path), tmp_path / "started"
    tree = RunTree("run", str(tmp_path / "one"), {"url": str(origin)}, {}, store)
    tree.fetch()
    files = Path(tree.files)
    names = ("filter.x.clean", "filter.x.smudge", "core.fsmonitor", "core.sshCommand", "uploadpack.packObjectsHook")
    for name in names:
        (files / ".git" / "hooks").mkdir(exist_ok=True)
        (files / ".git" / "hooks" / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (files / ".git" / "hooks" / name).chmod(0o755)
    (files / "c.txt").write_text("c")
    kept = tree.keep()
    assert kept is not None
    RunTree("run", str(tmp_path / "two"), {"url": str(origin)}, kept, store).fetch()
    assert not mark.exists()


def test_the_end_is_a_branch_a_patch_and_a_command(tmp_path: Path, origin: Path) -> None:
    store = store_with_run(tmp_path)
    end = {"url": str(origin), "branch": "zot/fix", "command": "echo $ZOT_RUN > " + str(tmp_path / "said")}
    tree = RunTree("run", str(tmp_path / "one"), end, {}, store)
    tree.fetch()
    Path(tree.files, "a.txt").write_text("beta\n")
    field = tree.end("Fix it", os.environ | {"ZOT_RUN": "fix"})
    assert git(origin, "show", "zot/fix:a.txt") == "beta"
    assert git(origin, "log", "--format=%s", "zot/fix") == "Fix it\nfirst"
    assert (tmp_path / "said").read_text() == "fix\n"
    clean = tmp_path / "clean"
    git(tmp_path, "clone", "--quiet", str(origin), str(clean))
    (tmp_path / "patch").write_bytes(store.get("run", field["patch"]))
    git(clean, "apply", str(tmp_path / "patch"))
    assert (clean / "a.txt").read_text() == "beta\n"
    fails = RunTree("run", str(tmp_path / "two"), {"url": str(origin), "command": "echo why; exit 3"}, {}, store)
    fails.fetch()
    with pytest.raises(TreeError, match="has failed with the exit code 3: why"):
        fails.end("Fix it", os.environ)


def test_what_cannot_be_fetched_is_said_in_a_line(tmp_path: Path, origin: Path) -> None:
    store = store_with_run(tmp_path)
    for workspace, text in (
        ({"url": str(tmp_path / "nothing")}, "git fetch has failed: fatal: .*not appear to be a git repository"),
        ({"url": str(origin), "commit": "0123456789"}, "git rev-parse has failed: nothing of that name is there"),
        ({"url": f"ext::touch {tmp_path}/bad"}, "git fetch has failed: .*not allowed"),
        ({"url": "--upload-pack=touch bad"}, "git fetch has failed: "),
    ):
        with pytest.raises(TreeError, match=text):
            RunTree("run", str(tmp_path / "one"), workspace, {}, store).fetch()
    assert not (tmp_path / "bad").exists()


@pytest.mark.needs("landlock")
def test_a_run_continues_on_another_machine_with_the_files_of_its_last_row(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, origin: Path
) -> None:
    outside = origin.parent / "outside"
    id, moved = f"tree-{os.urandom(3).hex()}", list[int]()

    def answer(request: Received) -> Turn:
        step = sum(1 for message in request.body["messages"] if message["role"] == "assistant")
        if step == 2 and not moved:  # its machine ends while it waits for this answer
            moved.append(step)
            workers.kill(workers.running[0], all_of_it=True)
            workers.start("--sandbox", "on", machine="two")
            return Turn("too late")
        if step == 3:
            return Turn("all done")
        return Turn(
            "", calls=[Call("bash", {"command": f"echo {step} >> steps; ls; echo out > {outside}"}, f"c{step}")]
        )

    server.add(*[answer] * 6)
    workers.start("--sandbox", "on", machine="one")
    words = ("run", "--fleet", "--detach", "--id", id, "--git", str(origin), "--push", "zot/out")
    words = (*words, *zot.at(server), "do it")
    assert zot.run(*words, timeout=PATIENCE).code == 0
    branches = partial(git, origin, "branch", "--list", "zot/out")
    wait_until(branches, "the branch was pushed", pause=0.1)
    assert git(origin, "show", "zot/out:steps") == "0\n1\n2"
    assert not outside.exists()
    assert (
        workers.folder / "one" / id / "tree" / "steps"
    ).read_text() == "0\n1\n"  # the rest was done on the other one
    wait_until(lambda: f"{id} is done here" in workers.text(), "it is done")
    patch = zot.run("runs", "patch", id, "--fleet", timeout=PATIENCE)
    assert "+++ b/steps" in patch.out


def test_a_run_whose_files_cannot_be_fetched_is_parked_and_tried_again_on_demand(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, origin: Path
) -> None:
    id, url = f"nothing-{os.urandom(3).hex()}", origin.parent / "later.git"
    server.add("all done")
    workers.start()
    words = ("run", "--fleet", "--id", id, "--git", str(url), *zot.at(server), "do it")
    parked = zot.run(*words, timeout=PATIENCE)
    assert (parked.code, f"run {id} is parked: git fetch has failed: " in parked.line()) == (1, True)
    origin.rename(url)
    assert zot.run("runs", "retry", id, "--fleet", timeout=PATIENCE).code == 0
    wait_until(lambda: f"{id} is done here" in workers.text(), "it is done")
    assert record_of(database, id).state == "done"
