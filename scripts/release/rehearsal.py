"""`Rehearsal`: publishes a release to a package index of this machine, and installs it from there as people do."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from artifacts import run
from tree import Tree, Wrong

OLD = "0.0.1"
"""The version that is updated to the new one."""
WAIT = 60.0
"""Seconds for a server to answer."""
LICENCES = {"agent-client-protocol": "Apache-2.0"}
"""Of packages whose wheels have the text of a licence and not its name."""
SAID = "hello from a file"
MODEL = """
import sys
from zot_provider.testing import Call, ScriptedServer, Turn

def read(request):
    result = request.body["messages"][-1]["content"][-1]
    return Turn("It says: " + result["content"][0]["text"].strip())

with ScriptedServer([Turn("I look.", calls=[Call("read", {"path": "a.txt"})]), read], repeat=True) as server:
    print(server.base_url("anthropic-messages"), flush=True)
    sys.stdin.read()
"""
"""A model that reads a file with a tool, and answers with what it got."""
ANSWER = f"It says: {SAID}\n"
UPDATE = "import sys; from zot_agent.cli.update import run; sys.exit(run([], registry=sys.argv[1]))"
"""`zot update`, which asks the index of this machine."""


class Rehearsal:
    """An index and a home of its own; leaving it ends the servers and removes both. The caches are those of the
    person, so that the packages of others are fetched once."""

    def __init__(self, tree: Tree, folder: Path, version: str) -> None:
        """`folder` gets the SBOM."""
        self._tree, self._folder, self._version = tree, folder, version
        self._scratch = tempfile.TemporaryDirectory(prefix="zot-rehearsal-")
        self._home = Path(self._scratch.name, "home")
        self._project = Path(self._scratch.name, "project")
        self._index = Path(self._scratch.name, "index")
        self._copy = Path(self._scratch.name, "old")
        self._venv = self._home / "venv"
        for each in (self._home, self._project, self._index):
            each.mkdir()
        (self._project / "a.txt").write_text(f"{SAID}\n")
        self._servers: list[subprocess.Popen[str]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._url = f"http://127.0.0.1:{port}"
        self._simple = f"{self._url}/simple/"
        self._env = self._environment()
        where = ("-p", str(port), "-i", "127.0.0.1")
        free_for_all = ("-a", ".", "-P", ".", "--disable-fallback", "--hash-algo", "sha256")
        command = [sys.executable, "-m", "pypiserver", "run", *where, *free_for_all, str(self._index)]
        self._servers.append(
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, env=self._env)
        )

    def _environment(self) -> dict[str, str]:
        """What an installer finds in a home of its own: no settings of the person, no key, no variable of zot."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(("PIP_", "SSL_", "UV_", "REQUESTS_"))
            or name in ("PATH", "LANG", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
        }
        cache = run(os.environ["UV"], "cache", "dir", cwd=self._tree.root).split()[-1]  # `uv run` names itself
        return kept | {
            "HOME": str(self._home),
            "PATH": os.pathsep.join([str(self._home / ".local/bin"), os.path.dirname(os.environ["UV"]), kept["PATH"]]),
            "UV_CACHE_DIR": cache,
            "UV_PYTHON": sys.base_prefix + "/bin/python3",
            "NO_PROXY": ",".join(filter(None, ("127.0.0.1", kept.get("NO_PROXY")))),
        }

    def __enter__(self) -> "Rehearsal":
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for server in self._servers:
            server.terminate()
        for server in self._servers:
            server.wait()
        self._scratch.cleanup()

    def run(self, built: Sequence[Sequence[Path]]) -> None:
        """Publish, install and use; raises `Wrong`."""
        self._wait()
        self._publish(self._old())
        self._say("sh", str(self._copy / "packaging/install.sh"), UV_INDEX=self._simple)
        python = str(self._home / ".local/share/uv/tools/zot-agent/bin/python")
        model = self._model(python)
        self._expect(f"zot {OLD}\n", "zot", "--version")
        self._expect(ANSWER, "zot", "-p", "what is here?", **model)
        for stage in built:
            self._publish(stage)
        if "rc" in self._version:  # only who names a candidate gets it
            self._say("uv", "tool", "install", "--index", self._simple, f"zot-agent=={self._version}")
        else:
            self._say(python, "-c", UPDATE, f"{self._url}/zot-agent/json")
        self._expect(f"zot {self._version}\n", "zot", "--version")
        self._expect(ANSWER, "zot", "-p", "-c", "and now?", **model)
        self._sbom(python)
        self._say("uv", "tool", "uninstall", "zot-agent")
        self._try_installers(model)
        self._read_stored()
        self._shake_hands()

    def _try_installers(self, model: dict[str, str]) -> None:
        this = f"zot-agent=={self._version}"
        ways = {
            "uv tool": [["uv", "tool", "install", "--index", self._simple, this], ["zot"]],
            "uvx": [["uv", "tool", "run", "--index", self._simple, this]],
            "pip": [
                ["uv", "venv", "--quiet", "--seed", str(self._venv)],
                [str(self._venv / "bin/pip"), "install", "--quiet", "--extra-index-url", self._simple, this],
                [str(self._venv / "bin/zot")],
            ],
            "install.sh": [["env", f"UV_INDEX={self._simple}", "sh", str(self._folder / "install.sh")], ["zot"]],
            "pipx": [
                [sys.executable, "-m", "pipx", "install", f"--pip-args=--extra-index-url {self._simple}", this],
                ["zot"],
            ],
        }
        if "rc" in self._version:
            del ways["install.sh"]  # it installs the release before
        for way, (*before, zot) in ways.items():
            begun = time.monotonic()
            for command in before:
                self._say(*command)
            self._expect(f"zot {self._version}\n", *zot, "--version")
            self._expect(ANSWER, *zot, "-p", "what is here?", **model)
            self._say("uv", "tool", "uninstall", "--all")
            print(f"{way} installs and runs it ({time.monotonic() - begun:.0f} s)")

    def _read_stored(self) -> None:
        """Start what pip has installed on what each version has stored, as the tests of tests/compat do."""
        pins, python = self._home / "pins.txt", self._venv / "bin/python"
        export = ("uv", "export", "--quiet", "--frozen", "--only-dev", "--no-emit-workspace", "--no-hashes")
        run(*export, "--output-file", pins, cwd=self._copy, env=self._env)
        options = ("--quiet", f"--python={python}", f"--constraint={pins}")
        self._say("uv", "pip", "install", *options, "pytest", "hypothesis")
        command = (python, "-m", "pytest", "-p", "no:cacheprovider", "tests/compat")
        run(*command, cwd=self._copy, env=self._env | {"CI": "true"})  # where nothing is skipped
        stored = sorted(path.parent.name for path in self._copy.glob("tests/compat/*/state"))
        print(f"it reads what was stored by {', '.join(stored)}")

    def _shake_hands(self) -> None:
        """Start zot as the entry of the editors' registry says, and ask for a way to sign in, as its checks do."""
        entry = json.loads((self._tree.root / "packaging/acp-registry/zot/agent.json").read_text("utf-8"))
        uvx = entry["distribution"]["uvx"]
        package = f"{uvx['package'].partition('@')[0]}@{self._version}"
        able = {"terminal": True, "_meta": {"terminal-auth": True}}
        params = {"protocolVersion": 1, "clientCapabilities": able}
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        command = ("uv", "tool", "run", "--quiet", "--index", self._simple, package, *uvx["args"])
        answer = run(*command, cwd=self._project, env=self._env, input=f"{request}\n")
        if not json.loads(answer)["result"]["authMethods"]:
            raise Wrong(f"zot acp offers no way to sign in: {answer}")
        print("the entry of the editors' registry starts it, and a way to sign in is offered")

    def _wait(self) -> None:
        end = time.monotonic() + WAIT
        while True:
            try:
                with urllib.request.urlopen(self._simple, timeout=WAIT):
                    return
            except OSError as error:
                if time.monotonic() > end or self._servers[0].poll() is not None:
                    raise Wrong(f"the index of this machine does not answer: {error}") from None
                time.sleep(0.1)

    def _publish(self, stage: Sequence[Path]) -> None:
        where = ("--publish-url", f"{self._url}/", "--check-url", self._simple, "-u", "a", "-p", "b")
        self._say("uv", "publish", *where, *map(str, stage))

    def _old(self) -> list[Path]:
        """Archives of the same tree as an older version."""
        self._copy.mkdir()
        packed = Path(self._scratch.name, "old.tar")
        self._tree.git("archive", "--output", str(packed), "HEAD")
        run("tar", "-xf", packed, cwd=self._copy)
        Tree(self._copy).write(OLD)
        run("make", "build", "OUT=old", cwd=self._copy, env=os.environ | {"SOURCE_DATE_EPOCH": "1600000000"})
        return [path for path in (self._copy / "old").iterdir() if path.suffix in (".whl", ".gz")]

    def _model(self, python: str) -> dict[str, str]:
        """A model that reads a file, in a process of the installed zot; the variables that lead to it."""
        server = subprocess.Popen(
            [python, "-I", "-c", MODEL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self._env
        )
        self._servers.append(server)
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if not url:
            raise Wrong("the scripted model of zot_provider.testing does not start")
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "key"}

    def _sbom(self, python: str) -> None:
        """Write which packages an installation has, each with its licence."""
        path = self._folder / "sbom.cdx.json"
        self._say(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "-o", str(path), python)
        document = json.loads(path.read_text("utf-8"))
        components = document["components"]
        for each in components:
            if known := LICENCES.get(each["name"]):
                each.setdefault("licenses", [{"license": {"id": known}}])
        path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
        without = [each["name"] for each in components if not each.get("licenses")]
        if without or not components:
            raise Wrong(f"the SBOM has {len(components)} packages, without a licence: {', '.join(without)}")
        print(f"an installation has {len(components)} packages, each with a licence")

    def _say(self, *command: str, **variables: str) -> str:
        return run(*command, cwd=self._project, env=self._env | variables)

    def _expect(self, output: str, *command: str, **variables: str) -> None:
        found = self._say(*command, **variables)
        if not found.startswith(output) and not found.endswith(output):
            raise Wrong(f"{' '.join(command)} printed {found!r}, and not {output!r}")
