import io
from typing import Any

import pytest

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.args import build_parser, list_commands, parse
from zot_agent.cli.command_line import CommandLine
from zot_agent.cli.completions.tree import read_tree
from zot_agent.host.options import HostOptions
from zot_agent.modes import MODES
from zot_provider.errors import ConfigError

CASES: list[Any] = [
    pytest.param("", CommandLine(), id="nothing"),
    pytest.param("hello there", CommandLine("hello there"), id="words"),
    pytest.param("-p hello", CommandLine("hello", mode="print"), id="print"),
    pytest.param("hello --print", CommandLine("hello", mode="print"), id="a flag at the end"),
    pytest.param("-p --json x", CommandLine("x", mode="json"), id="print adds nothing to json"),
    pytest.param("--stream -p x", CommandLine("x", mode="stream"), id="print adds nothing to stream"),
    pytest.param("--json --json x", CommandLine("x", mode="json"), id="twice"),
    pytest.param("-pc x", CommandLine("x", mode="print", options=HostOptions(continue_latest=True)), id="letters"),
    pytest.param("a --model m b --cwd d c", CommandLine("a b c", options=HostOptions(model="m", cwd="d")), id="mixed"),
    pytest.param("-- --json -p --", CommandLine("--json -p --"), id="all is prompt"),
    pytest.param("--model=a/b=c -- x", CommandLine("x", options=HostOptions(model="a/b=c")), id="an equals sign"),
    pytest.param("--api-key=-k x", CommandLine("x", options=HostOptions(api_key="-k")), id="a value with a dash"),
    pytest.param("- x", CommandLine("- x"), id="a lone dash is a word"),
    pytest.param("--tools read,,bash, x", CommandLine("x", options=HostOptions(tools=["read", "bash"])), id="tools"),
    pytest.param("--no-tools", CommandLine(options=HostOptions(tools=[])), id="no tools"),
    pytest.param("--reasoning maximum", CommandLine(options=HostOptions(reasoning="max")), id="another word for max"),
    pytest.param("--max-steps 3", CommandLine(options=HostOptions(max_steps=3)), id="steps"),
    pytest.param("--session s", CommandLine(options=HostOptions(session="s")), id="session"),
    pytest.param("--experimental-oauth x", CommandLine("x"), id="a flag of the Go zot without effect"),
    pytest.param("--no-session", CommandLine(options=HostOptions(no_session=True)), id="no session"),
    pytest.param("-v", CommandLine(version=True), id="version"),
    pytest.param("--rpc", CommandLine(mode="rpc"), id="the flag of a verb"),
    pytest.param("--mode rpc", CommandLine(mode="rpc"), id="a mode by its name"),
    pytest.param("--mode json x", CommandLine("x", mode="json"), id="json by its name"),
    pytest.param("--mode text -p x", CommandLine("x", mode="print"), id="text is print"),
    pytest.param("-p rpc", CommandLine("rpc", mode="print"), id="a verb stands first"),
    pytest.param("-- rpc", CommandLine("rpc"), id="a verb as a prompt"),
    pytest.param(
        "--append-system-prompt a --append-system-prompt b --system-prompt c",
        CommandLine(options=HostOptions(system_prompt="c", append_system_prompt=["a", "b"])),
        id="prompts",
    ),
    pytest.param(
        "--provider p --base-url u --api-key k",
        CommandLine(options=HostOptions(provider="p", base_url="u", api_key="k")),
        id="where to ask",
    ),
]


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_a_command_line(line: str, expected: CommandLine) -> None:
    assert parse(line.split(" ") if line else []) == expected


@pytest.mark.parametrize("text", ["- a\n- b", "---\nname: x\n---", "--what is\tthis?", "-5 degrees", "- a=b"])
def test_text_that_begins_with_a_dash_is_no_flag(text: str) -> None:
    assert parse(["-p", text]).prompt == text


@pytest.mark.parametrize("level", ["off", "minimum", "low", "medium", "high", "xhigh", "max"])
def test_every_level_of_reasoning(level: str) -> None:
    assert parse(["--reasoning", level]).options.reasoning == level


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--jsn"], "unknown flag '--jsn'; did you mean --json"),
        (["--key=secret"], "unknown flag '--key'"),
        (["--key=secret and more"], "unknown flag '--key'"),
        (["-z"], "unknown flag '-z' (see zot --help; a prompt goes after --)"),
        (["--reasoning", "much"], "invalid choice: 'much'"),
        (["--max-steps", "0"], "must be greater than 0"),
        (["--max-steps", "1.5"], "invalid int value"),
        (["--json", "--stream"], "--json and --stream cannot be used together; see zot --help"),
        (["--tools", "read", "--no-tools"], "not allowed with argument"),
        (["-c", "--session", "x"], "not allowed with argument"),
        (["--session="], "--session needs the path or id of a session"),
        (["--cwd", ""], "--cwd needs the path of a folder"),
        (["--cwd= "], "--cwd needs the path of a folder"),
        (["--cwd"], "expected one argument; see zot --help"),
        (["-pzap"], "see zot --help"),  # in the words of this Python or that
    ],
)
def test_what_is_not_understood(arguments: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(arguments)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_help_is_printed_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(["-h"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == build_parser().format_help()


def test_the_help_names_every_mode_and_fits_80_columns() -> None:
    text = build_parser().format_help()
    assert max(map(len, text.splitlines())) <= 80
    assert all(flag in text for mode in MODES.values() for flag in mode.flags)


def test_the_help_keeps_the_name_of_a_command_apart_from_what_it_does() -> None:
    text = build_parser().format_help()
    assert [name for name in SUBCOMMANDS if f"\n  {name}  " not in text] == []


def test_what_is_no_utf8_is_replaced_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    line = parse(["-p", "caf\udce9", "--append-system-prompt", "a\udcff", "--cwd", "d\udce9"])
    assert (line.prompt, line.options.append_system_prompt, line.options.cwd) == ("caf\ufffd", ["a\ufffd"], "d\udce9")
    assert capsys.readouterr().err == (
        "zot: the system prompt contains bytes that are not UTF-8; they were replaced\n"
        "zot: the prompt contains bytes that are not UTF-8; they were replaced\n"
    )


def test_a_help_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        unbuffered = io.TextIOWrapper(full, write_through=True)
        with pytest.raises(OSError, match="No space left on device"):
            build_parser().print_help(unbuffered)
        unbuffered.detach()


@pytest.mark.parametrize(
    "words",
    [
        *("docter", "DOCTOR", "doctr", "servre", "sreve", "etx", "loacl", "exts", "demos", "exit"),
        *("login", "logout", "auth", "upgrade", "sessions", "models", "settings", "install", "mcp"),
        *("sessions list", "ext-s list", "auth login", "config set", "models ls", "login --provider anthropic", "tg"),
        *("tg setup", "tg hello", "telegram-bot start", "bot", "continuous run", "pack", "verify"),
        *("permisions test 'git push'", "conifg path", "sesions export x", "sesions exprot x", "session prune"),
        *("checkpoint prune", "flet worker", "swrm kill x", "swrm stop", "doctr offline", "completion zsh"),
        *("setings", "hlp", "trst .", "help"),
    ],
)
def test_a_bare_word_that_looks_like_a_command_is_refused(words: str) -> None:
    word = words.split()[0]
    with pytest.raises(ConfigError, match=f"^zot has no command '{word}'; .* is sent with zot -- {word}$"):
        parse(words.split())
    assert parse(["--", word]).prompt == word


@pytest.mark.parametrize(
    ("line", "order"),
    [
        (
            "--provider local --base-url http://127.0.0.1:1 doctor",
            "zot doctor has options of its own, which come after",
        ),
        ("--api-key=hunter2 --no-yolo serve", "after the command: zot serve --api-key --no-yolo; a prompt"),
        ("--api-key hunter2 run the tests", "the options come after the command: zot run --api-key; a prompt"),
        ("-c sessions list", "zot sessions has options of its own"),
        ("--no-yolo doctr", "did you mean zot doctor\\? a prompt of this word is sent with zot -- doctr"),
        ("--model x help", "zot --help is the help"),
        ("--no-yolo version", "zot --version prints the version"),
        ("--no-yolo tg start", "zot has no command 'tg'; zot has no bot for Telegram;"),
    ],
)
def test_a_command_behind_options_is_refused_with_the_right_order(line: str, order: str) -> None:
    with pytest.raises(ConfigError, match=order) as error:
        parse(line.split())
    assert "hunter2" not in str(error.value)
    words = line.split()
    for mode in ("-p", "--stream", "--json"):
        assert parse([mode, *words]).prompt


@pytest.mark.parametrize("line", ["-p run the tests", "--stream doctor", "--json sessions list", "--no-yolo -- doctor"])
def test_a_mode_or_two_dashes_say_that_a_word_is_a_prompt(line: str) -> None:
    assert parse(line.split()).prompt in ("run the tests", "doctor", "sessions list")


def test_words_behind_a_command_are_no_commands() -> None:
    assert parse(["--no-yolo", "doctor"], of_command=True).prompt == "doctor"


def test_every_verb_behind_a_misspelled_command_is_refused() -> None:
    verbs = [(node.path.removeprefix("zot "), verb) for node in read_tree()[1:] for verb in node.commands]
    assert len(verbs) > 40
    for name, verb in verbs:
        word = name[:-2] + name[-1] if len(name) > 3 else name + name[-1]
        with pytest.raises(ConfigError, match=f"did you mean zot {name}"):
            parse([word, verb, "x y"])


def test_a_misspelled_command_is_named() -> None:
    with pytest.raises(ConfigError, match="; did you mean zot doctor\\? "):
        parse(["docter"])


@pytest.mark.parametrize(
    "words",
    [
        *(
            "held",
            "vision",
            "fix .",
            "hello",
            "hi",
            "test",
            "fix",
            "why",
            "review",
            "explain",
            "continue",
            "save",
            "next",
            "Login",
            "login?",
        ),
        *("update the readme", "login fails", "install dependencies", "-p login", "-c login", "fix the tests"),
        *("session lost its title", "model names are wrong", "bot should answer", "-p sesions list"),
    ],
)
def test_ordinary_words_are_a_prompt(words: str) -> None:
    assert parse(words.split()).prompt == words.removeprefix("-p ").removeprefix("-c ")


def test_no_name_of_a_command_runs_into_its_description(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    shown = capsys.readouterr().out.partition("commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [row.split("  ")[1] for row in shown] == [name for name, _ in list_commands()]
