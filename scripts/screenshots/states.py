"""The states of the screen that there are screenshots of, a record each. Adding a record adds two screenshots."""

import json
from typing import Any, NamedTuple

from project import DRAW, EDIT, LOOK, PROMPT, SEARCH, TASK

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


class Earlier(NamedTuple):
    """A session of an earlier day; `ago` is a key of `AGO`."""

    prompt: str
    answer: str
    ago: str


class Brings(NamedTuple):
    """Files that the project brings beside its own."""

    files: dict[str, str]


class State(NamedTuple):
    """A state of the screen.

    `name` is that of its screenshots and of its page in docs/screen/, `title` is its title and `about` describes what
    it shows, for readers who cannot see it. `turns` are what the model says, `before` what happens before zot is
    started with `arguments`. `key`: whether there is one. `asks_for_mode`: zot runs for the first time.
    `varies`, a regular expression, is found in rows that differ from machine to machine.
    """

    name: str
    title: str
    about: str
    steps: tuple[Keys | Sees, ...]
    turns: tuple[Any, ...] = ()
    before: tuple[Extension | Earlier | Brings, ...] = ()
    arguments: tuple[str, ...] = ()
    size: tuple[int, int] = (92, 26)
    key: bool = True
    asks_for_mode: bool = False
    models: tuple[str, ...] = ("claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5")
    varies: str = ""


ASKED = (Sees(READY), Keys(f"{PROMPT}\r"))
FINISHED = (*ASKED, Sees("return amount"), Sees("esc to stop", gone=True))

BROUGHT = {
    ".zot/extensions/till/extension.json": json.dumps({"name": "till", "exec": "python3", "args": ["till.py"]}),
    ".zot/extensions/till/till.py": "",
    ".zot/config.json": json.dumps({"permissions": {"allow": ["bash(make test)"], "deny": ["bash(git push*)"]}}),
    ".claude/commands/tidy.md": "Tidy $1 up.\n",
    ".mcp.json": json.dumps({"mcpServers": {"prices": {"command": "npx", "args": ["price-server"]}}}),
}

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
        "The editor at the bottom, below it place, branch and model.",
        (Sees(READY), Sees("anthropic")),
        size=(92, 12),
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
                "I look at what has changed.",
                calls=[Call("bash", {"command": "git status --short && git diff basket.py"})],
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
    State("help", "Help", "Commands and keys, page by page.", (Sees(READY), Keys("/help\r"), Sees("Commands"))),
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
        "undone",
        "An undone prompt",
        "The files are as they were, and the prompt is in the editor.",
        (*FINISHED, Keys("/undo\r"), Sees("undone; restored")),
        turns=TASK,
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
)
