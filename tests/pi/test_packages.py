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
from declared import declared
from pi_conversation_rows import call
from pi_drive import (
    SECONDS,
    ZOT,
    Row,
    Stage,
    Step,
    ask,
    command,
    ends,
    file,
    gone,
    keys,
    no_file,
    only,
    requested,
    see,
    write,
)
from pi_other_rows import picked
from pi_packages import npm_install
from pi_screen_rows import made_for

from zot_provider.testing import Call, Turn

pytestmark = pytest.mark.needs("node", "npm", "pi")

PAGE = (
    """<html><head><title>Tides</title></head><body><article><h1>Tides</h1>
<p>The moon pulls the sea twice a day, and the harbour of Leith has a tide of five metres.</p>
"""
    + "<p>Sailors read the table before they leave, because the harbour falls dry at low water.</p>\n" * 20
    + """
</article></body></html>"""
)
RESULTS = {"results": [{"title": "Tides of Leith", "url": "https://example.org/tides", "content": "Five metres."}]}

Drive = Callable[..., None]
Driven = Callable[..., None]


@pytest.fixture
def run(driven: Driven) -> Drive:
    """Drives a package, `NAME@VERSION`."""

    def drive(package: str, row: Row, *, in_pi: bool = True) -> None:
        driven(package.rpartition("@")[0], f"npm:{package}", row, in_pi=in_pi)

    return drive


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
    server = declared("mcp-servers") / "mcp-server-everything"
    servers = {"mcpServers": {"every": {"command": shutil.which("node"), "args": [str(server)]}}}
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


def test_processes_of_the_model_run_on_wake_it_and_are_ended_by_the_person(run: Drive) -> None:
    watch = {"logMatches": [{"pattern": "listening"}]}
    started = call("process", action="start", name="shop", command="echo listening on 80; exec cat", notify=watch)
    steps: list[Step | list[Step]] = [
        *(ask(), see("Started."), see('[process] "shop" matched stdout: listening on 80')),
        *(see("It is ready."), requested("<process_event type=", "<matched_line>listening on 80</matched_line>")),
        *command("ps", "Open the managed process overview panel."),
        *(see("Processes", "shop", "running"), keys("\x1b"), gone("running")),
        *command("ps:logs", "Open managed process logs."),
        *(see("q close", "proc_"), keys("q"), gone("q close")),
        *command("ps:kill", "Stop a running managed process."),
        *(see("Killed shop"), ask("and now?"), see("It has ended."), requested('name=\\"SIGTERM\\"')),
        *command("ps:settings", "Configure"),
        *(see("Processes Settings", "Overview panel"), keys("\x1b"), gone("Processes Settings")),
    ]
    row = Row("processes in the background", steps, [started, "Started.", "It is ready.", "It has ended."])
    run("@aliou/pi-processes@0.12.0", row)


def test_rules_of_permission_system_refuse_calls_and_ask_the_person(run: Drive) -> None:
    bash = {"*": "allow", "rm -rf *": "deny", "touch *": "ask"}
    rules = {"permission": {"*": "allow", "bash": bash, "path": {"*": "allow", "*.env": "deny"}}}
    says = [
        call("bash", command="rm -rf kept"),
        call("read", path="a.env"),
        call("bash", command="touch made"),
        "Done.",
    ]
    steps = [
        *(ask(), see("touch made", "Yes"), no_file("made"), keys("\r"), see("Done."), file("made", "")),
        *(file("kept/a.txt", "one"), requested("is not permitted to run 'bash' command 'rm -rf kept'")),
        requested("is not permitted to access path 'a.env'"),
    ]
    files = {
        "../home/.pi/agent/extensions/pi-permission-system/config.json": json.dumps(rules),
        **{"kept/a.txt": "one\n", "a.env": "KEY=7\n"},
    }
    run("@gotgenes/pi-permission-system@20.7.3", Row("rules for calls", steps, says, files=files))


def test_a_diagram_of_the_model_is_drawn_in_the_conversation_and_told_to_the_model_with_mermaid(run: Drive) -> None:
    diagram = "Here:\n```mermaid\ngraph LR\n  Leith --> Burntisland\n```\n"
    steps = [
        *(ask(), see("│ Leith", "►│ Burntisland"), ask("thanks"), see("Welcome."), gone("esc to stop")),
        *command("pi-mermaid", "Render mermaid in last assistant message"),
        see("No mermaid blocks found"),
    ]
    run("pi-mermaid@0.3.0", Row("diagrams", steps, [diagram, "Welcome."]))


def test_an_answer_is_opened_in_the_browser_with_markdown_preview(run: Drive) -> None:
    steps = [
        *(ask(), see("The tides")),
        *command("preview-browser", "Open browser preview"),
        *(see("Opened preview in browser"), file("opened", "<h1>The tides</h1>", "<title>")),
    ]
    programs = {"pandoc": "cat > /dev/null; echo '<h1>The tides</h1>'", "xdg-open": 'cp "${1#file://}" $PWD/opened'}
    run("pi-markdown-preview@0.16.0", Row("previews", steps, ["# The tides\n\nTwice a day."], programs=programs))


def test_a_subagent_reads_a_file_with_its_own_tools_and_its_answer_comes_back(run: Drive) -> None:
    steps = [ask(), see("All done."), requested("It says tides.", "You are"), requested("the tides of Leith")]
    task = call("subagent", agent="delegate", task="say what notes.md says", context="fresh", **{"async": False})
    says = [task, call("read", path="notes.md"), "It says tides.", "All done."]
    run("pi-subagents@0.67.0", Row("sub-agents", steps, says, files={"notes.md": "the tides of Leith\n"}))


@pytest.mark.parametrize("package", ["pi-system-theme@0.5.0", "pi-sync-system-theme@0.2.5"])
def test_the_theme_follows_the_desktop(run: Drive, package: str) -> None:
    steps = [made_for("light"), write("mode", "'prefer-dark'"), made_for("dark")]
    variables = {"COLORTERM": "truecolor", "PI_SYSTEM_THEME_OSC11_ENABLED": "0"}
    # pi's own default, `system`, is a theme that these leave alone.
    files = {"mode": "'prefer-light'", ".pi/settings.json": json.dumps({"theme": "dark"})}
    run(package, Row("the desktop", steps, files=files, programs={"gsettings": "cat mode"}, variables=variables))


def test_commands_have_the_names_of_aliases(run: Drive) -> None:
    steps = [*(ask(), see("Yes.")), *command("exit:2", "Exit pi"), ends()]
    run("pi-aliases@1.0.7", Row("other names", steps, ["Yes."]), in_pi=False)  # pi 1.6 does not end


def test_agents_of_collaborating_agents_answer_and_are_listed(run: Drive) -> None:
    steps: list[Step | list[Step]] = [
        *(ask(), requested("say what notes.md says"), see("It says tides.")),
        *command("agents:2", "Open collaborating-agents"),
        *(see("Agents"), keys("\x1b")),
    ]
    says = [call("subagent", task="say what notes.md says", sessionControl=False), "Sent.", *["It says tides."] * 3]
    row = Row("agents", steps, says, files={"notes.md": "tides\n"}, models={"openai": "scripted"})
    run("@baochunli/pi-collaborating-agents@0.4.6", row)


def test_models_of_a_gateway_are_listed_and_chosen_and_the_person_says_for_whom_with_agentuity(
    driven: Driven, tmp_path: Path, installer_environment: dict[str, str]
) -> None:
    npm_install(tmp_path, installer_environment, "@agentuity/pi@2.0.21")
    model = {"id": "harbour-one", "name": "Harbour One", "api": "openai-completions"}
    models = json.dumps({"success": True, "data": {"harbour": [model]}})
    organizations = json.dumps({"organizations": [{"id": "org_1", "name": "Leith"}, {"id": "org_2", "name": "Crail"}]})
    steps: list[Step | list[Step]] = [
        *(see("Use /organization to select"), picked("agentuity/openai-completions", "harbour-one")),
        *command("organization", "Select active Agentuity organization"),
        *(see("Leith (org_1)", "Crail (org_2)"), keys("\x1b[B"), keys("\r")),
        *(only(ZOT, see("Using Agentuity organization: Crail")), see("models refreshed")),
        *command("organization", "Select active Agentuity organization"),
        *(see("* Crail (org_2)"), keys("\x1b")),
    ]
    row = Row(
        "models of a gateway",
        steps,
        programs={"agentuity": f"echo '{organizations}'"},
        variables={"AGENTUITY_SDK_KEY": "key-of-the-gateway"},
        hosts={"https://aigateway-usc.agentuity.cloud/models": f"data:application/json,{models}"},
    )
    # Its package.json does not say what pi is to load.
    driven("@agentuity/pi", tmp_path / "node_modules/@agentuity/pi/dist/index.js", row)
