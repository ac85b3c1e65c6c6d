"""From exec to the version, and to the end of the first request's body; memory of a one-shot run."""

import json
import ssl
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import certifi
import trustme
from environment import Environment, Figure
from model_server import ModelServer

PEAK = "import resource,subprocess,sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); " \
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"  # fmt: skip


SKILLS, TEMPLATES = 200, 100
"""How many a home folder has that must not make a start slower."""


def measure(environment: Environment) -> Iterator[Figure]:
    """The figures, as multiples of `python -I -c pass` in the same environment where they are times."""
    context, trusted = _certificates(environment)
    server, tls_server = ModelServer(1), ModelServer(1, context=context)

    def ask(asked: ModelServer) -> list[str]:
        command = [environment.zot, "-p", "hi", "--provider", "openai", "--model", "m", "--base-url", asked.base_url]
        return [*command, "--cwd", str(environment.folder / "work")]

    def first_request(asked: ModelServer, **variables: str) -> float:
        begin = time.monotonic()
        done = environment.run(ask(asked), **variables)
        assert done.stdout, done.stderr.decode()
        return asked.complete_at[-1] - begin

    full_home = _full_home(environment.folder / "full-home")
    bare, version, request, full_request, tls_request = [], [], [], [], []
    for _ in range(21):  # in turn, so that a slow moment of the machine hits all five
        bare.append(environment.timed([environment.python, "-I", "-c", "pass"]))
        version.append(environment.timed([environment.zot, "--version"]))
        request.append(first_request(server))
        full_request.append(first_request(server, ZOT_HOME=full_home))
        tls_request.append(first_request(tls_server, SSL_CERT_FILE=trusted))
    base = statistics.median(bare[1:])
    system = [json.loads(each)["messages"][0]["content"] for each in server.bodies[-2:]]
    assert ["- skill-7: " in text for text in system] == [False, True], "skills missing"
    body = json.loads(server.bodies[-2])
    sessions = list(Path(environment.variables["ZOT_HOME"]).rglob("*.jsonl"))
    assert {"read", "write", "edit", "bash"} <= {tool["function"]["name"] for tool in body["tools"]}, "tools missing"
    assert len(sessions) >= len(request), "session files missing"
    fixed = json.dumps([system[0], body["tools"]], ensure_ascii=False, separators=(",", ":"))
    yield Figure("fixed part of each request, as sent", len(fixed), "characters", 5100, note="in an empty folder")
    yield Figure("python -I -c pass", base * 1000, "ms")
    yield Figure("zot --version", statistics.median(version[1:]) / base, "x pass", 1.3)
    yield Figure(
        "zot -p, exec to the end of the first request body", statistics.median(request[1:]) / base, "x pass", 8
    )
    yield Figure(
        f"the same with {SKILLS} skills and {TEMPLATES} prompt templates",
        statistics.median(full_request[1:]) / base, "x pass", 8,
    )  # fmt: skip
    yield Figure("the same over TLS", statistics.median(tls_request[1:]) / base, "x pass", 11)
    peak = environment.run([environment.python, "-c", PEAK, *ask(server)]).stdout
    yield Figure("zot -p, peak memory", int(peak) / 1024, "MB", 60)


def _full_home(folder: Path) -> str:
    """Write a home folder with skills and prompt templates, and return its path."""
    for number in range(SKILLS):
        skill = folder / "skills" / f"skill-{number}"
        skill.mkdir(parents=True)
        front = f"name: skill-{number}\ndescription: >-\n  What it does for: the project,\n  and when to use it.\n"
        (skill / "SKILL.md").write_text(
            f"---\n{front}allowed-tools: [read, bash]\n---\n\n{'Do what is needed. ' * 200}\n"
        )
    (folder / "prompts").mkdir()
    for number in range(TEMPLATES):
        text = f"---\ndescription: template {number}\nargument-hint: [file]\n---\n{'Look at $1. ' * 100}\n"
        (folder / "prompts" / f"template-{number}.md").write_text(text)
    return str(folder)


def _certificates(environment: Environment) -> tuple[ssl.SSLContext, str]:
    """The context of a server with a new certificate, and a file that trusts it beside all authorities of certifi.

    Loading those is a part of a first request.
    """
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusted = environment.folder / "authorities.pem"
    trusted.write_bytes(Path(certifi.where()).read_bytes() + authority.cert_pem.bytes())
    return context, str(trusted)
