"""The states of the screen that there are screenshots of, a record each. Adding a record adds two screenshots."""

import json
from typing import Any, NamedTuple

from project import COMPARED, DRAW, EDIT, LOOK, PROMPT, SEARCH, TASK

from zot_provider.testing import Call, Fault, Turn
from zot_provider.usage import Usage

READY = "ask, or / for commands"

AGO = {"2 h": 2.5 * 3600, "3 days": 3.5 * 86400, "2 weeks": 16 * 86400}


class Keys(NamedTuple):
    """Types `keys` as a terminal sends them: Enter is `\\r`, Esc is `\\x1b`."""

    keys: str


class Sees(NamedTuple):
    """Waits until `text` is on the screen, or, with `gone`, is no longer."""

    text: str
    gone: bool = False


class Extension(NamedTuple):
    """An extension of examples/extensions that is installed beforehand, with files of its own."""

    name: str
    files: dict[str, str]


class Issues(NamedTuple):
    """A server with these open issues of the repository `shop/till`: number, title and who opened it."""

    issues: tuple[tuple[int, str, str], ...]


class Earlier(NamedTuple):
    """A session of an earlier day; `ago` is a key of `AGO`."""

    prompt: str
    answer: str
    ago: str


class Brings(NamedTuple):
    """Files that the project brings beside its own."""

    files: dict[str, str]


class Repository(NamedTuple):
    """The project is a git repository, and its files are in a commit."""


class State(NamedTuple):
    """A state of the screen.

    `name` is that of its screenshots, and of its page in docs/screen/ unless it is on the `page` of another state.
    `title` is its title and `about` describes what it shows, for readers who cannot see it. `turns` are what the model
    says, `before` what happens before zot is started with `arguments`. `key`: whether there is one. `asks_for_mode`:
    zot runs for the first time. `varies`, a regular expression, is found in rows that differ from machine to machine.
    `window`: the notifications and the title of the window are shown above the screen. `shell`: what bash runs in place
    of zot; the state is then in docs/PAGE.md.
    """

    name: str
    title: str
    about: str
    steps: tuple[Keys | Sees, ...]
    turns: tuple[Any, ...] = ()
    before: tuple[Extension | Issues | Earlier | Brings | Repository, ...] = ()
    arguments: tuple[str, ...] = ()
    size: tuple[int, int] = (92, 26)
    key: bool = True
    asks_for_mode: bool = False
    models: tuple[str, ...] = ("claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5")
    varies: str = ""
    page: str = ""
    window: bool = False
    shell: str = ""


ASKED = (Sees(READY), Keys(f"{PROMPT}\r"))
FINISHED = (*ASKED, Sees("return amount"), Sees("esc to stop", gone=True))


def agents_answer(request: Any) -> Turn:
    """Answer a conversation by its first message: that of the main agent, or those of its sub-agents."""
    messages = request.body["messages"]
    first = str(messages[0]["content"])
    if "which tests" in first:
        return Turn("`test_basket.py` tests `total`. Nothing tests an empty basket.")
    if "judge" in first:
        return Turn(calls=[Call("bash", {"command": "make test; exec sleep 100"})])
    if len(messages) == 1:
        found = {"task": "find out which tests there are", "agent": "explore"}
        return Turn("I look at the tests, then at the change.", calls=[Call("agent", found)])
    return Turn(calls=[Call("agent", {"task": "judge the change of basket.py", "agent": "review"})])


def swarm_answer(request: Any) -> Turn:
    """Answer a member of the swarm by its task. What works ends by itself, since it outlives the screen."""
    if "delivery" in str(request.body["messages"][0]["content"]):
        return Turn("Delivery is tested for orders below, of and above fifty.")
    return Turn(calls=[Call("bash", {"command": "make test; exec sleep 20"})])


BROUGHT = {
    ".zot/extensions/till/extension.json": json.dumps({"name": "till", "exec": "python3", "args": ["till.py"]}),
    ".zot/extensions/till/till.py": "",
    ".zot/config.json": json.dumps({"permissions": {"allow": ["bash(make test)"], "deny": ["bash(git push*)"]}}),
    ".claude/commands/tidy.md": "Tidy $1 up.\n",
    ".mcp.json": json.dumps({"mcpServers": {"prices": {"command": "npx", "args": ["price-server"]}}}),
}

RUNS = """
export ZOT_PERMISSION_MODE=yolo
say() { printf '\\e[1m$ %s\\e[m\\n' "$1"; eval "$1" 2>&1; echo; }
say 'zot run --detach --id deploy "deploy the shop"'
until [ -e deploys ]; do sleep 0.1; done
say "kill -9 $(zot runs show deploy --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
say 'zot runs list'
say 'zot runs resume deploy'
say 'zot runs logs deploy'
exec sleep 60
"""

STATES = (
    State(
        "first-run",
        "The first start, without a key",
        "zot says what holds a key and asks how to start.",
        (Sees("How do you want to start?"),),
        key=False,
        varies="demo|needs no key|server|--base-url|^use |paste an API key|How do you",
    ),
    State(
        "empty",
        "An empty screen",
        "A card with version, place, model and mode, the keys to begin with, and the editor at the bottom.",
        (Sees(READY), Sees("Shift+Tab")),
        size=(92, 14),
    ),
    State(
        "work",
        "A task at work",
        "The answer comes in, the working row says for how long, and a prompt waits.",
        (
            *ASKED,
            Sees("out: > should"),
            Keys("and say so in docs/delivery.md\r"),
            Sees("queued: "),
        ),
        turns=(SEARCH, EDIT.replace(fault=Fault(after=6, pause=600.0))),
    ),
    State(
        "task",
        "A task that is done",
        "A prompt, a file that was read, a change with its line numbers, tests that pass, and the answer.",
        FINISHED,
        turns=TASK,
        size=(92, 36),
    ),
    State(
        "beside",
        "The task of the comparison",
        "Two files are read in one row, a change is a band with its words marked, and the last row says the cost.",
        FINISHED,
        turns=COMPARED,
        size=(110, 38),
    ),
    State(
        "expanded",
        "Everything unfolded",
        "The whole file that was read is below its call.",
        (
            Sees(READY),
            Keys("what does basket.py do?\r"),
            Sees("It adds up"),
            Sees("esc to stop", gone=True),
            Keys("\x0f"),
            Sees("more lines", gone=True),
        ),
        turns=LOOK,
        size=(92, 30),
    ),
    State(
        "commands",
        "Commands",
        "Below the conversation the commands that begin with what was typed.",
        (Sees(READY), Keys("/re"), Sees("/review")),
        size=(92, 16),
    ),
    State(
        "files",
        "Files and directories",
        "The files of the project that match the text after the @.",
        (Sees(READY), Keys("compare @ba"), Sees("test_basket.py")),
        size=(92, 12),
    ),
    State(
        "image",
        "An image",
        "A chart that the model has drawn and looks at, as half blocks.",
        (
            Sees(READY),
            Keys("on which day do we sell most?\r"),
            Sees("Saturday, by far"),
            Sees("▀"),
            Sees("esc to stop", gone=True),
        ),
        turns=DRAW,
        size=(92, 28),
    ),
    State(
        "vi",
        "Editing as in vi",
        "A prompt with the cursor on one of its words, and in the status row the mode.",
        (
            Sees(READY),
            Keys("/vi\r"),
            Sees("/vi", gone=True),
            Keys("why does the till\nround down?"),
            Sees("down?"),
            Keys("\x1b"),
            Sees("normal"),
            Keys("k0w"),
            Sees("normal"),
        ),
        size=(92, 12),
    ),
    State("models", "Models", "A list of models by provider.", (Sees(READY), Keys("/model\r"), Sees("Model"))),
    State(
        "settings",
        "Settings",
        "All settings with their values, and where each value is from.",
        (Sees(READY), Keys("/settings\r"), Sees("Ctrl+D")),
        size=(110, 36),
    ),
    State(
        "sessions",
        "Sessions",
        "The sessions of this directory, the newest first, and what was said last in the chosen one.",
        (Sees(READY), Keys("/sessions\r"), Sees("It counts in cents.")),
        before=(
            Earlier("what does this project do?", "It is a small shop.", "2 weeks"),
            Earlier("add honey to the prices", "Honey costs 7.50 now.", "3 days"),
            Earlier("why does the till round down?", "It counts in cents.", "2 h"),
        ),
        size=(92, 20),
    ),
    State(
        "permission",
        "A question before a command",
        "zot asks whether it may run a command, and shows the rules that always adds. The last row names the mode.",
        (*ASKED, Sees("Run bash")),
        turns=(
            Turn(
                "I run the tests.",
                calls=[Call("bash", {"command": "pytest -q test_basket.py"})],
                usage=Usage(input=3120, output=52),
            ),
        ),
        arguments=("--permission-mode", "ask"),
    ),
    State(
        "permission-edit",
        "A question before a change",
        "zot asks whether it may change a file, and shows the change in two colours.",
        (*ASKED, Sees("Run edit")),
        turns=(SEARCH, EDIT),
        arguments=("--permission-mode", "ask"),
    ),
    State(
        "mode",
        "The question of the first run",
        "zot asks once whether tools may run without asking.",
        (Sees("May tools run without asking?"), Sees("you can answer", gone=True)),
        size=(92, 18),
        asks_for_mode=True,
    ),
    State(
        "trust",
        "A question about a folder",
        "zot lists what the folder brings, and asks whether it may be used.",
        (Sees("May zot use what this folder brings?"), Sees("you can answer", gone=True)),
        before=(Brings(BROUGHT),),
        size=(92, 30),
    ),
    State(
        "extension",
        "A question about an extension",
        "zot lists what an extension with permissions may do, and asks whether it may start.",
        (Sees("May the extension outline do this?"), Sees("you can answer", gone=True)),
        before=(Extension("outline", {}),),
        size=(92, 22),
    ),
    State(
        "overlays",
        "Overlays of an extension",
        "Three overlays cover each other; the uppermost has the keys.",
        (
            Sees(READY),
            Keys("how much is the delivery?\r"),
            Sees("free from 50 on"),
            Sees("esc to stop", gone=True),
            Keys("/overlay stack\r"),
            Sees("has the keys"),
        ),
        turns=(Turn("The delivery is free from 50 on; below that it is 4.90.", usage=Usage(input=3120, output=52)),),
        before=(Extension("overlay-test", {}),),
        size=(92, 26),
    ),
    State(
        "vi-manifest",
        "The keys of vi from a manifest",
        "Two words of the prompt are selected in the visual mode of an extension that is only data.",
        (Sees(READY), Keys("check the prices of all orders"), Keys("\x1b0wwvee"), Sees("visual")),
        before=(Extension("modal-editor", {}),),
        size=(92, 14),
    ),
    State(
        "emacs-manifest",
        "The region of Emacs from a manifest",
        "A part of the prompt is selected, and the status row says region.",
        (Sees(READY), Keys("check the prices of all orders"), Keys("\x1bb\x1bb\x00\x1bb\x1bb"), Sees("region")),
        before=(Extension("emacs-keys", {}),),
        size=(92, 14),
    ),
    State(
        "rainbow",
        "A prompt that an extension draws",
        "One word of the prompt has the colours of the rainbow.",
        (
            Sees("─ claude"),
            Keys("/rainbow"),
            Sees("choose the word"),
            Keys(" ultrathink\r"),
            Sees("in colours"),
            Keys("ultrathink"),
            Sees("1 word,"),
            Keys(" about"),
            Sees("2 words"),
            Keys(" the prices"),
            Sees("4 words"),
        ),
        before=(Extension("rainbow-editor", {}), Extension("border-status-editor", {})),
        size=(92, 14),
    ),
    State(
        "anchors",
        "Overlays at every place",
        "Nine overlays, one at each place; the last one has the keys.",
        (Sees(READY), Keys("/overlay all\r"), Sees("has the keys"), Sees("bottom_right")),
        before=(Extension("overlay-test", {}),),
        size=(92, 26),
        page="overlays",
    ),
    State(
        "cycle",
        "Overlays that pass the keys on",
        "After Tab, the lowest of three overlays is the uppermost and has the keys; the others wait.",
        (
            Sees(READY),
            Keys("/overlay stack\r"),
            Sees("layer 3"),
            Sees("has the keys"),
            Keys("\t"),
            Sees("layer 3", gone=True),
            Sees("has the keys"),
            Keys("k"),
            Sees("│k"),
        ),
        before=(Extension("overlay-test", {}),),
        size=(92, 26),
        page="overlays",
    ),
    State(
        "animated",
        "An overlay that moves",
        "An overlay that is drawn thirty times a second, while a prompt is typed beside it.",
        (Sees(READY), Keys("/overlay clock\r"), Sees("◒"), Keys("how much is the delivery?"), Sees("delivery?")),
        before=(Extension("overlay-test", {}),),
        size=(92, 14),
        varies="◐|◓|◑|◒",
        page="overlays",
    ),
    State(
        "widgets",
        "What extensions show around the editor",
        "A header, a row above the editor, the model at its right, turns in the status row, and another working row.",
        (
            Sees(READY),
            Sees("1M"),
            Keys("/working moon\r"),
            Sees("is moon"),
            Keys("\x1b"),
            Sees("is moon", gone=True),
            *ASKED,
            Sees("turn 2"),
            Sees("last: "),
            Sees("out: > should"),
        ),
        turns=(SEARCH, EDIT.replace(fault=Fault(after=6, pause=600.0))),
        before=(
            Extension("custom-header", {}),
            Extension("status-line", {}),
            Extension("model-status", {}),
            Extension("working-indicator", {}),
            Repository(),
        ),
        varies="[◐◓◑◒]",
        page="extension-widgets",
    ),
    State(
        "window",
        "The window and the desktop",
        "Two notifications, one of a command that has failed, and the title of the window: zot is done.",
        (
            Sees(READY),
            Keys("/alert"),
            Sees("call me"),
            Keys("\x7f" * 6),
            Keys("do we pay refunds?\r\x1b[O"),
            Sees("No file"),
            Sees("esc to stop", gone=True),
        ),
        turns=(
            Turn("", calls=[Call("bash", {"command": "ls *refund* 2> /dev/null"})], usage=Usage(input=3120, output=52)),
            Turn("No file has a word about refunds.", usage=Usage(input=240, output=18, cache_read=3120)),
        ),
        before=(Extension("titlebar-spinner", {}), Extension("notify", {})),
        size=(92, 10),
        page="extension-widgets",
        window=True,
    ),
    State(
        "widget-places",
        "Every place of a widget",
        "A word at each place: above the conversation, around the editor, at its corners, and in the status row.",
        (Sees(READY), Keys("/places\r"), Sees("· status"), Sees("bottom_right")),
        before=(Extension("widget-placement", {}),),
        size=(92, 14),
        page="extension-widgets",
    ),
    State(
        "issues",
        "Suggestions of an extension",
        "The open issues of a repository below a prompt, and in place of the status row a row of another extension.",
        (
            Sees(READY),
            Sees("context"),
            Keys("/issues shop/till\r"),
            Sees("3 open issues"),
            Keys("\x1b"),
            Sees("3 open issues", gone=True),
            Keys("fix #"),
            Sees("#31 "),
        ),
        before=(
            Extension("github-issue-autocomplete", {}),
            Extension("custom-footer", {}),
            Issues(
                (
                    (28, "Prices are without tax", "ada"),
                    (29, "The till crashes on an empty basket", "grace"),
                    (31, "Say what the delivery costs", "ada"),
                )
            ),
            Repository(),
        ),
        size=(92, 14),
        page="extension-widgets",
    ),
    State(
        "plan",
        "A plan that an extension keeps",
        "The steps of a plan above the editor, of which the first one is done.",
        (
            Sees(READY),
            Keys("/plan\r"),
            Sees("nothing is changed"),
            *ASKED,
            Sees("/plan go carries"),
            Sees("esc to stop", gone=True),
            Keys("/plan go\r"),
            Sees("Next I say so"),
            Sees("esc to stop", gone=True),
        ),
        turns=(
            Turn(
                "The delivery is computed in `basket.py`.\n\nPlan:\n1. change `delivery` in basket.py\n"
                "2. say so in docs/delivery.md\n3. run the tests",
                usage=Usage(input=3120, output=52),
            ),
            EDIT,
            Turn("", calls=[Call("step_done", {"number": 1})], usage=Usage(input=240, output=18, cache_read=3120)),
            Turn("Next I say so in the docs.", usage=Usage(input=240, output=18, cache_read=3120)),
        ),
        before=(Extension("plan-mode", {}),),
        size=(92, 40),
        page="extension-widgets",
    ),
    State(
        "drawn",
        "A conversation that extensions draw",
        "A reminder as a banner, a command behind a dollar sign, and the last rows of its output.",
        (
            Sees(READY),
            Keys("/remind pay for the coffee\r"),
            Sees("⏰"),
            Keys("do the tests pass?\r"),
            Sees("One of four"),
            Sees("esc to stop", gone=True),
            Sees("⏰"),
            Sees("lines above"),
        ),
        turns=(
            Turn(
                "",
                calls=[Call("bash", {"command": "grep -h 'def test' *.py; python -m unittest"})],
                usage=Usage(input=3120, output=52),
            ),
            Turn("One of four does not: an order of exactly 50.", usage=Usage(input=240, output=18, cache_read=3120)),
        ),
        before=(Extension("message-renderer", {}), Extension("built-in-tool-renderer", {})),
        size=(92, 20),
        page="extension-cells",
    ),
    State(
        "cards",
        "Cards of an extension in the conversation",
        "A card between two answers, unfolded with its time.",
        (
            *FINISHED,
            Keys("/card tell the shop\r"),
            Sees("┃ tell the shop"),
            Keys("is there more to do?\r"),
            Sees("Nothing is left"),
            Sees("esc to stop", gone=True),
            Keys("\x1bo"),
            Sees("┃ 20"),
        ),
        turns=(*TASK, Turn("Nothing is left to do.", usage=Usage(input=240, output=18, cache_read=3120))),
        before=(Extension("entry-renderer", {}),),
        size=(92, 18),
        varies=r"┃20\d\d-",
        page="extension-cells",
    ),
    State(
        "minimal",
        "A conversation without results",
        "A row for each call, and nothing of what it found.",
        (
            Sees(READY),
            Keys("/minimal"),
            Sees("hide the results"),
            Keys("\x7f" * 8),
            *ASKED,
            Sees("return amount"),
            Sees("esc to stop", gone=True),
            Sees("delivery(amount):", gone=True),
        ),
        turns=TASK,
        before=(Extension("minimal-mode", {}),),
        size=(92, 22),
        page="extension-cells",
    ),
    State(
        "game",
        "A game with the model",
        "A board of tic-tac-toe in an overlay; the model puts its mark with a tool.",
        (
            Sees(READY),
            Keys("/tic-tac-toe\r"),
            Sees("your turn"),
            Keys("\r"),
            Sees("I take the corner."),
            Sees("your turn"),
            Sees("esc to stop", gone=True),
            Keys("\x1b[A"),
        ),
        turns=(
            Turn("", calls=[Call("tic_tac_toe", {"cell": 1})], usage=Usage(input=3120, output=52)),
            Turn("I take the corner.", usage=Usage(input=240, output=18, cache_read=3120)),
        ),
        before=(Extension("tic-tac-toe", {}),),
        size=(92, 26),
    ),
    State(
        "snake",
        "Snake",
        "A snake in an overlay, paused.",
        (Sees(READY), Keys("/snake\r"), Sees("over: "), Keys("\rsap"), Sees("paused")),
        before=(Extension("snake", {}),),
        size=(92, 22),
        varies="·|█|▓",
        page="game",
    ),
    State(
        "invaders",
        "Space invaders",
        "Invaders, a ship and its shots in an overlay, paused.",
        (Sees(READY), Keys("/invaders\r"), Sees("▼"), Keys(" p"), Sees("paused")),
        before=(Extension("space-invaders", {}),),
        size=(92, 26),
        varies="│|points|▟▙|▼|▲",
        page="game",
    ),
    State(
        "panel",
        "A panel of an extension",
        "A list of things to do, drawn by an extension, and a note of another one.",
        (
            Sees(READY),
            Keys("make room on the disk\r"),
            Sees("I leave it"),
            Sees("esc to stop", gone=True),
            Keys("/todos\r"),
            Sees("□"),
        ),
        turns=(
            Turn(
                "I remove what was built.",
                calls=[Call("bash", {"command": "rm -rf build"})],
                usage=Usage(input=3120, output=52),
            ),
            Turn("That is refused here; I leave it as it is.", usage=Usage(input=240, output=18, cache_read=3120)),
        ),
        before=(
            Extension("guard", {}),
            Extension(
                "todo",
                {
                    "todos.json": json.dumps(
                        [
                            {"text": "free delivery from 50 on", "done": True},
                            {"text": "say so in docs/delivery.md", "done": False},
                            {"text": "prices with tax", "done": False},
                        ]
                    )
                },
            ),
        ),
    ),
    State(
        "shell",
        "A command of your own",
        "A command after an exclamation mark, and what it printed.",
        (Sees(READY), Keys("!wc -l *.py\r"), Sees("total")),
        size=(92, 18),
    ),
    State(
        "reading",
        "Reading further up",
        "An earlier part of the conversation; the last row says how much is new below.",
        (*FINISHED, Keys("is there more to do?\r"), Sees("▌ is there"), Keys("\x1b[5~"), Sees("new below")),
        turns=(*TASK, Turn("Nothing is left to do.", fault=Fault(stall=3.0))),
    ),
    State(
        "search",
        "A search in the conversation",
        "A row in place of the editor says which hit is looked at; all hits are marked, also in a change.",
        (*FINISHED, Keys("/search delivery\r"), Sees("1 of"), Keys("\x1b[A\x1b[A"), Sees("3 of")),
        turns=TASK,
    ),
    State("help", "Help", "Commands and keys in sections.", (Sees("Shift+Tab"), Keys("?"), Sees("type to search"))),
    State(
        "compacted",
        "A conversation that was compacted",
        "A row says that a summary replaces the earlier conversation, and how much shorter it is.",
        (
            Sees(READY),
            Keys("what does basket.py do?\r"),
            Sees("It adds up"),
            Sees("esc to stop", gone=True),
            Keys(f"{PROMPT}\r"),
            Sees("return amount"),
            Sees("esc to stop", gone=True),
            Keys("/compact\r"),
            Sees("Summary of"),
        ),
        turns=(*LOOK, *TASK, Turn("Orders of 50 are delivered free now; basket.py was changed and the tests pass.")),
        varies="Summary of the",
        size=(92, 36),
    ),
    State(
        "context",
        "What fills the context window",
        "The parts of the next request, each with its tokens and its share of the window.",
        (*FINISHED, Keys("/context\r"), Sees("came from the cache")),
        turns=TASK,
        varies="tokens|System prompt|Skills|Tools",
    ),
    State(
        "tree",
        "The tree of a session",
        "The prompts of the session; the other branch is indented.",
        (
            Sees(READY),
            Keys("what does basket.py do?\r"),
            Sees("It adds up"),
            Sees("esc to stop", gone=True),
            Keys("and till.py?\r"),
            Sees("It asks"),
            Sees("esc to stop", gone=True),
            Keys("\x1b\x1b"),
            Sees("Change a prompt"),
            Keys("\r"),
            Sees("› and till.py?"),
            Keys(" Briefly.\r"),
            Sees("It prints"),
            Sees("esc to stop", gone=True),
            Keys("/tree\r"),
            Sees("Session tree"),
        ),
        turns=(*LOOK, Turn("It asks for the price of each article."), Turn("It prints the bill.")),
    ),
    State(
        "diff",
        "What a session changed",
        "The change of the file, in two colours.",
        (*FINISHED, Keys("/diff\r"), Sees("basket.py  +")),
        turns=TASK,
    ),
    State(
        "sides",
        "Changes side by side",
        "The old lines of the file are on the left, the new ones on the right.",
        (*FINISHED, Keys("/diff\r"), Sees("basket.py  +"), Keys("\x1bv"), Sees("│")),
        turns=TASK,
        size=(110, 26),
        page="diff",
    ),
    State(
        "undone",
        "An undone prompt",
        "The files are as they were, and the prompt is in the editor.",
        (*FINISHED, Keys("/undo\r"), Sees("undone; restored")),
        turns=TASK,
        size=(92, 16),
    ),
    State(
        "agents",
        "Sub-agents",
        "A list of two sub-agents, one of which works.",
        (*ASKED, Sees("bash: make test"), Keys("/agents\r"), Sees("works ·")),
        turns=(agents_answer,) * 5,
        varies=r"\d s",
    ),
    State(
        "swarm",
        "The swarm",
        "A list of two agents that live on, of which one works.",
        (
            Sees(READY),
            Keys("/swarm new Test the delivery\r"),
            Sees("test-the-delivery: done"),
            Keys("/swarm new Find what is slow\r"),
            Sees("zot/find-what-is-slow;"),
            Keys("/swarm\r"),
            Sees("working ·"),
        ),
        turns=(swarm_answer,) * 2,
        before=(Repository(),),
        size=(92, 16),
    ),
    State(
        "error",
        "A failure",
        "The provider refuses the key; a line says so and what to do.",
        (*ASKED, Sees("esc to stop", gone=True)),
        turns=(Turn(fault=Fault(status=401)),),
        size=(92, 12),
    ),
    State(
        "btw",
        "A question beside the work",
        "The question and its answer over the conversation.",
        (*FINISHED, Keys("/btw what is a till?\r"), Sees("cash")),
        turns=(*TASK, Turn("The place where a customer pays: a cash register, or the code that plays its part.")),
    ),
    State(
        "themes",
        "Themes",
        "The themes that can be chosen.",
        (Sees(READY), Keys("/theme\r"), Sees("high-contrast")),
        size=(92, 16),
    ),
    State(
        "high-contrast",
        "The theme of high contrast",
        "The end of a task in stronger colours.",
        (*FINISHED, Keys("/theme high-contrast\r"), Sees("/theme", gone=True)),
        turns=TASK,
    ),
    State(
        "narrow",
        "A small window",
        "The same in 40 columns and 12 rows.",
        FINISHED,
        turns=TASK,
        size=(40, 12),
    ),
    State(
        "runs",
        "A run that was killed",
        "A run is begun, its process is killed, and another one continues it: the call that had begun is not repeated.",
        (Sees("\n- done"),),
        turns=(
            Turn("I deploy it.", calls=[Call("bash", {"command": "date > deploys; sleep 5"})]),
            Turn("I look whether that took effect.", calls=[Call("bash", {"command": "ls deploys"})]),
            Turn("The shop is deployed, once."),
        ),
        size=(120, 34),
        varies=r"kill-9|process\d|20\d\d-|exit0",
        shell=RUNS,
    ),
)
