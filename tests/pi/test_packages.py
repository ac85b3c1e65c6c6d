"""Packages of npm that use the API of extensions of pi alone, installed and driven through their purpose.

They are fetched from the registry, so only `make pi` drives them.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pi_conversation_rows import call
from pi_drive import SECONDS, Row, Stage, Step, ask, command, drive, requested, see

from zot_provider.testing import Call, Turn

pytestmark = pytest.mark.needs("pi", "npm")

MCP_SERVER = Path(__file__).parents[1] / "support" / "mcp-servers" / "node_modules" / ".bin" / "mcp-server-everything"
PAGE = (
    """<html><head><title>Tides</title></head><body><article><h1>Tides</h1>
<p>The moon pulls the sea twice a day, and the harbour of Leith has a tide of five metres.</p>
"""
    + "<p>Sailors read the table before they leave, because the harbour falls dry at low water.</p>\n" * 20
    + """
</article></body></html>"""
)
RESULTS = {"results": [{"title": "Tides of Leith", "url": "https://example.org/tides", "content": "Five metres."}]}

Drive = Callable[[str, Row], None]


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest, installer_environment: dict[str, str]) -> Drive:
    """Installs a package, drives it and notes the outcome."""
    results = request.config.getoption("pi_results")

    def run(package: str, row: Row) -> None:
        outcome = {"name": package, "package": "yes", "state": "fails", "why": ""}
        try:
            drive(row, tmp_path, package=package, installer=installer_environment)
            outcome |= {"state": row.state, "why": row.name}
        except Exception as error:
            outcome["why"] = str(error)
            raise
        finally:
            (Path(results) / f"package-{package.partition('@')[0]}.json").write_text(json.dumps(outcome))

    return run


class _Site(BaseHTTPRequestHandler):
    """A page, and a search as SearXNG answers it."""

    def do_GET(self) -> None:
        search = self.path.startswith("/search")
        body = (json.dumps(RESULTS) if search else PAGE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if search else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    """The address of a site on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _models_asked(*models: str) -> Step:
    """Wait until the requests went to these models, in this order."""

    def step(stage: Stage) -> None:
        asked = lambda: [request.body["model"] for request in stage.server.requests if request.body]  # noqa: E731
        stage.pty.wait_until(lambda: asked() == [*models], SECONDS, f"requests to {models}")

    return step


def test_a_prompt_of_prompt_template_model_is_answered_by_its_model_and_the_next_one_by_the_old(run: Drive) -> None:
    prompt = "---\ndescription: Ask the quick model\nmodel: openai/quick\n---\nAnswer in one word: $@\n"
    steps: list[Step | list[Step]] = [
        *command("brief", "Ask the quick model", "what is zot"),
        *(see("An agent."), requested("Answer in one word: what is zot"), see("Restored to scripted")),
        *(ask("thanks"), see("Welcome."), _models_asked("quick", "scripted")),
    ]
    files = {"../home/.pi/agent/prompts/brief.md": prompt}
    row = Row("a prompt names its model", steps, ["An agent.", "Welcome."], files=files, models={"openai": "quick"})
    run("pi-prompt-template-model@0.12.2", row)


@pytest.mark.needs("mcp-servers")
def test_the_model_finds_and_calls_a_tool_of_an_mcp_server_with_mcp_adapter(run: Drive) -> None:
    servers = {"mcpServers": {"every": {"command": shutil.which("node"), "args": [str(MCP_SERVER)]}}}
    steps = [ask(), see("All done."), requested("Echo: from-the-server"), *command("mcp", "MCP"), see("every")]
    says = [
        call("mcp", connect="every"),
        Turn(calls=[Call("mcp", {"tool": "every_echo", "args": {"message": "from-the-server"}})]),
        "All done.",
    ]
    row = Row("tools of an MCP server", steps, says, files={"../home/.pi/agent/mcp.json": json.dumps(servers)})
    run("pi-mcp-adapter@2.36.0", row)


def test_the_model_reads_a_page_and_searches_with_web_access(run: Drive, site: str) -> None:
    settings = {"ssrf": {"allowRanges": ["127.0.0.0/8"]}, "searxngBaseUrl": site, "workflow": "none"}
    steps = [ask(), see("All done."), requested("has a tide of five metres", "Tides of Leith", "Five metres.")]
    search = call("web_search", query="tides", provider="searxng")
    says = [call("fetch_content", url=f"{site}/tides"), search, "All done."]
    row = Row("pages and searches", steps, says, files={"../home/.pi/web-search.json": json.dumps(settings)})
    run("pi-web-access@0.28.0", row)
