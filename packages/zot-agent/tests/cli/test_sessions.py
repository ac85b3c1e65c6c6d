import json
import os
import pty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from zot_agent.cli.sessions import run
from zot_agent.cli.sessions.prune import parse_selection
from zot_agent.config.paths import sessions_root
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError
from zot_provider.messages import Message, TextBlock
from zot_provider.usage import Usage


def save(*texts: str, cwd: str = "", changed: float = 0) -> str:
    """Save a session with these prompts and answers, and return its path."""
    session = SessionStore(sessions_root()).create(cwd or os.getcwd(), "m", "p", "0")
    for number, text in enumerate(texts):
        session.append(Message("assistant" if number % 2 else "user", [TextBlock(text)]))
    session.usage(Usage(), Usage(1200, 34, cost_usd=0.25))
    session.close()
    if changed:
        os.utime(session.path, (changed, changed))
    return session.path


def short(path: str) -> str:
    return path.rpartition("-")[2].removesuffix(".jsonl")


class Sessions:
    """Runs `zot sessions` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """Everything that is printed."""
        found = run(arguments)
        out, err = self._capsys.readouterr()
        assert found == code, (found, out, err)
        return out + err


@pytest.fixture
def sessions(capsys: pytest.CaptureFixture[str]) -> Sessions:
    return Sessions(capsys)


def test_the_sessions_of_this_directory_are_listed_or_those_of_all(sessions: Sessions) -> None:
    here, there = save("fix the parser", "done"), save("\x1b[31mred", cwd="/other")
    assert sessions("list").splitlines() == [
        "id        used      messages  title", f"{short(here)}  just now  2         fix the parser",
    ]  # fmt: skip
    lines = sessions("list", "--all").splitlines()
    assert sorted(line.split()[0] for line in lines[1:]) == sorted([short(here), short(there)])
    assert "\x1b" not in "".join(lines)
    assert len(sessions("list", "--all", "--limit", "1").splitlines()) == 2
    (entry,) = json.loads(sessions("list", "--json"))["sessions"]
    assert (entry["path"], entry["title"], entry["messages"], entry["titled"]) == (here, "fix the parser", 2, False)
    assert "must be greater than 0" in sessions("list", "--limit", "0", code=2)


def test_without_sessions_it_says_so(sessions: Sessions) -> None:
    assert sessions("list") == "no sessions in this directory; --all lists other directories\n"
    assert sessions("list", "--all") == "no sessions yet\n"
    assert sessions("search", "x", code=1) == "nothing found\n"
    assert json.loads(sessions("search", "x", "--json", code=1)) == {"sessions": []}
    assert sessions("prune", "--dry-run") == "the directories of all sessions exist\n"
    assert "no session 'x'" in sessions("show", "x", code=2)


def test_words_are_searched_in_all_directories_or_in_this_one(sessions: Sessions) -> None:
    path = save("fix the parser", "The lexer was wrong.")
    save("the lexer", cwd="/other", changed=1000)
    assert sessions("search", "LEXER", "was wrong").splitlines() == [
        f"{short(path)}  fix the parser  (just now, {os.getcwd()})",
        "          zot: The lexer was wrong.",
    ]
    assert len(json.loads(sessions("search", "lexer", "--json"))["sessions"]) == 2
    (hit,) = json.loads(sessions("search", "lexer", "--here", "--json"))["sessions"]
    assert (hit["excerpt"], hit["role"]) == ("The lexer was wrong.", "assistant")


def test_a_session_is_shown_with_its_last_prompt_and_answer(sessions: Sessions) -> None:
    path = save("first", "one", "second\nline", "two")
    lines = sessions("show", short(path)).splitlines()
    assert lines[0] == "title      first"
    assert "tokens     1,200 in, 34 out, $0.2500" in lines
    assert lines[-5:] == ["You:", "  second", "  line", "", "zot:", "  two"][-5:]
    shown = json.loads(sessions("show", path, "--json"))
    assert (shown["last_prompt"], shown["last_answer"]) == ("second\nline", "two")
    assert shown["tokens"] == {"input": 1200, "output": 34, "cache_read": 0, "cache_write": 0}


def test_the_suffix_chooses_the_format_and_an_import_is_a_new_session(sessions: Sessions, tmp_path: Path) -> None:
    id = short(save("fix the parser", "done", cwd="/other"))
    for name, start in (
        ("a.html", "<!doctype html>"),
        ("a.md", "# fix the parser"),
        ("a.ZOTSESSION", '{"type":"meta"'),
    ):
        assert sessions("export", id, str(tmp_path / name)) == f"written to {tmp_path / name}\n"
        assert (tmp_path / name).read_text().startswith(start)
        assert "exists already" in sessions("export", id, str(tmp_path / name), code=1)
    assert "has no known suffix; use .zotsession, .html, .md" in sessions("export", id, "a.txt", code=2)
    assert "there is no folder" in sessions("export", id, "none/a.md", code=1)
    (written,) = [Path(sessions("export", id, str(tmp_path)).removeprefix("written to ").strip())]
    assert written.name.endswith(f"-{id}-fix-the-parser.zotsession")
    said = sessions("import", str(written))
    assert said.startswith("imported as ")
    assert id not in said
    (entry,) = json.loads(sessions("list", "--json"))["sessions"]
    assert (entry["title"], entry["cwd"], entry["messages"]) == ("fix the parser", os.getcwd(), 2)
    assert "is not a session but an HTML page" in sessions("import", str(tmp_path / "a.html"), code=1)


def test_without_a_path_an_export_goes_to_the_downloads_or_here(sessions: Sessions, tmp_path: Path) -> None:
    id = short(save("hello"))
    assert Path(sessions("export", id).removeprefix("written to ").strip()).parent == Path.cwd()
    (tmp_path / "Downloads").mkdir()
    assert Path(sessions("export", id).removeprefix("written to ").strip()).parent == tmp_path / "Downloads"


def test_sessions_of_missing_directories_are_deleted_without_a_question_if_the_flags_say_so(sessions: Sessions) -> None:
    kept, gone = save("here"), save("there", cwd="/not/there")
    size = f"{os.path.getsize(gone):,}"
    listed = sessions("prune", "--dry-run")
    assert listed.splitlines()[1:] == [
        f"  1. /not/there  1 session, {size} bytes",
        f"would delete 1 session, {size} bytes",
    ]
    assert os.path.exists(gone)
    assert sessions("prune", "--all", "--yes").endswith("deleted 1 session\n")
    assert (os.path.exists(kept), os.path.exists(gone)) == (True, False)


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--yes"], "--yes needs --all"),
        (["--all", "--yes", "--dry-run"], "cannot be used together"),
        (["--cwd", ".", "--dry-run"], "--cwd needs --older-than"),
        (["--all"], "there is no terminal to ask on"),
        (["--older-than", "soon", "--dry-run"], "'soon' is not an age"),
    ],
)
def test_flags_that_do_not_fit_delete_nothing(sessions: Sessions, flags: list[str], problem: str) -> None:
    path = save("x", cwd="/not/there", changed=1000)
    assert problem in sessions("prune", *flags, code=2)
    assert os.path.exists(path)


def test_an_age_and_a_directory_narrow_what_is_deleted(sessions: Sessions) -> None:
    old, other = save("x", changed=1000), save("y", cwd="/other", changed=1000)
    assert "deleted 1 session" in sessions("prune", "--older-than", "30d", "--cwd", ".", "--all", "--yes")
    assert (os.path.exists(old), os.path.exists(other)) == (False, True)
    assert sessions("prune", "--older-than", "30d", "--cwd", ".", "--dry-run") == "no session is that old\n"


Terminal = Callable[[str], None]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal as standard input and output, on which this is typed."""
    outer, inner = pty.openpty()
    with os.fdopen(inner) as standard_input:

        def typed(text: str) -> None:
            os.write(outer, text.encode())
            monkeypatch.setattr("sys.stdin", standard_input)
            monkeypatch.setattr("sys.stdout.isatty", lambda: True)

        yield typed
        monkeypatch.undo()
    os.close(outer)


@pytest.mark.parametrize(
    ("typed", "code", "left"),
    [
        ("2\ny\n", 0, [1, 3]),
        ("1-2,3\nyes\n", 0, []),
        ("all\nn\n", 1, [1, 2, 3]),
        ("none\n", 1, [1, 2, 3]),
        ("7\n", 2, [1, 2, 3]),
    ],
)
def test_a_person_chooses_directories_and_confirms(
    sessions: Sessions, terminal: Terminal, typed: str, code: int, left: list[int]
) -> None:
    paths = {number: save("x", cwd=f"/not/there{number}") for number in (1, 2, 3)}
    terminal(typed)
    sessions("prune", code=code)
    assert [number for number, path in paths.items() if os.path.exists(path)] == left


@pytest.mark.parametrize("answer", ["0", "4", "2-1", "1-", "x", "1,,2", "1-99999999999"])
def test_an_answer_that_names_no_directory_is_refused(answer: str) -> None:
    with pytest.raises(ConfigError, match="is not a number from 1 to 3"):
        parse_selection(answer, 3)


def test_the_help_names_every_verb(sessions: Sessions) -> None:
    assert all(verb in sessions() for verb in ("list", "show", "search", "export", "import", "prune"))
    assert "see zot sessions --help" in sessions("nonsense", code=2)
