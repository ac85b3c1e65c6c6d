import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from display_blocks import Code
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pygments.lexers import get_all_lexers

from zot_tui.app import App
from zot_tui.highlight import LEXED_LINE, LEXED_SIZE, TIMEOUTS, _timeouts, find_lexer, highlight, lex
from zot_tui.testing import Driver, MemoryScreen
from zot_tui.text.runs import plain
from zot_tui.theme.tokens import BY_NAME
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.cells import AnswerCell
from zot_tui.widgets.transcript.tool_cell import ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

CODE = '''\
@cache
def f(x: int) -> str:
    """Doc
    string."""
    # note
    return f"{x}\\n" + len(1.5)
class A: pass
'''

ENDLESS = "<!--", "mcschema"  # its lexer loops for ever

LANGUAGES = sorted({aliases[0] for _, aliases, _, _ in get_all_lexers(plugins=False) if aliases})
HOSTILE = st.lists(
    st.builds(
        lambda piece, count, end: (piece * count)[: LEXED_LINE - 1] + end,
        st.sampled_from(["<!--", "/*", "${", "a ", "<a ", "=b", "0"])
        | st.text("ab0 _-.:;'\"`\\/<>(){}[]$#@!|*=\0é", max_size=4),
        st.integers(1, LEXED_LINE),
        st.sampled_from(["", "!", ")"]),
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(autouse=True)
def no_language_is_given_up() -> Iterator[None]:
    yield
    _timeouts.clear()


def styles(rows: list[list[tuple[str, str]]]) -> dict[str, str]:
    return {text.strip(): style for row in rows for style, text in row}


def test_code_is_coloured_in_tokens_of_the_theme() -> None:
    found = styles(highlight(CODE, "python"))
    assert found["def"] == "syntax.keyword"
    assert found["f"] == "syntax.name_function"
    assert found["A"] == "syntax.name_class"
    assert found["@cache"] == "syntax.name_decorator"
    assert found["# note"] == "syntax.comment"
    assert found["len"] == "syntax.name_builtin"
    assert found["1.5"] == "syntax.literal_number"
    assert found['string."""'] == "syntax.literal_string"
    assert set(found.values()) <= set(BY_NAME)


@pytest.mark.parametrize("language", ["python", "py", "PY", "{.python}", "src/app.py", "C:\\a\\b.py", ".py"])
def test_a_language_is_named_or_told_by_a_path(language: str) -> None:
    assert styles(highlight("def f(): pass", language))["def"].startswith("syntax.keyword")


@pytest.mark.parametrize("language", ["", "nosuchlanguage", "a.nosuch", "/", ".", "{}", "\x1b[31m"])
def test_code_of_no_language_is_plain(language: str) -> None:
    assert highlight("def f():\n\n  pass", language) == [[("syntax.text", "def f():")], [], [("syntax.text", "  pass")]]


def test_a_makefile_and_a_dockerfile_are_known_by_name() -> None:
    assert styles(highlight("FROM x", "Dockerfile")) != {"FROM x": "syntax.text"}
    assert styles(highlight("all: a\n\techo", "dir/Makefile")) != styles(highlight("all: a\n\techo", ""))


@given(
    st.text(alphabet="ab\"'#/*\\ \n(){}é漢", max_size=80),
    st.sampled_from(["python", "c", "html", "bash", "json", "console"]),
)
def test_no_character_is_lost_or_added(code: str, language: str) -> None:
    assert [plain(row) for row in highlight(code, language)] == code.split("\n")


@pytest.mark.parametrize("language", ["python", "javascript", "json", "bash", "rust", "go", "html", "toml"])
def test_a_piece_goes_on_in_the_state_of_the_one_before(language: str) -> None:
    source = {
        "python": 'x = """a\nb\nc"""\nreturn 1',
        "html": "<a\n b='c'>\n</a>",
    }.get(language, '{"a": 1,\n "b": [true,\n "c"]}')
    lines = source.split("\n")
    before, rows = None, []
    for line in lines:
        before = lex([line], language, before)
        rows += before.rows
    assert rows == highlight(source, language)


def test_a_string_over_the_border_of_two_pieces_stays_a_string() -> None:
    first = lex(['x = """a'], "python")
    assert lex(["def b", '"""'], "python", first).rows[0] == [("syntax.literal_string", "def b")]


def test_what_is_too_long_to_lex_is_plain() -> None:
    line = "x = 1"
    assert highlight(f"{line}\n" * (LEXED_SIZE // 3), "python")[0] == [("syntax.text", line)]
    assert highlight(f"{line}\n" + "y" * (LEXED_LINE + 1), "python")[0] == [("syntax.text", line)]
    far, count = None, 0
    while count + 400 <= LEXED_SIZE // 6:
        far = lex([line] * 400, "python", far)
        count += 400
        assert far.rows[-1] != [("syntax.text", line)]
    assert lex([line] * 800, "python", far).rows[-1] == [("syntax.text", line)]


def test_pygments_is_not_imported_for_code_of_no_language() -> None:
    code = "import sys; from zot_tui.highlight import highlight; highlight('x', ''); print('pygments' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("language", "lexer"),
    [
        ("python", "Python"),
        ("src/main.rs", "Rust"),
        ("Makefile", "Makefile"),
        ("a/.bashrc", "Bash"),
        ("x.php5", "PHP"),
        ("page.html", "HTML"),
    ],
)
def test_a_lexer_is_found_by_its_name_or_by_the_files_it_is_for(language: str, lexer: str) -> None:
    assert find_lexer(language).name == lexer


@settings(deadline=None)
@example("mcschema", ["<!--"])
@given(st.sampled_from(LANGUAGES), HOSTILE)
def test_no_text_makes_any_lexer_run_for_ever(language: str, lines: list[str]) -> None:
    assert [plain(row) for row in lex(lines, language).rows] == lines


def test_a_language_whose_lexer_takes_too_long_twice_stays_plain() -> None:
    for _ in range(TIMEOUTS + 2):
        assert highlight(*ENDLESS) == [[("syntax.text", "<!--")]]
    assert [*_timeouts.values()] == [TIMEOUTS]
    assert styles(highlight(CODE, "python"))["def"] == "syntax.keyword"


async def test_a_turn_of_the_loop_that_has_spent_its_time_leaves_code_to_the_next_one() -> None:
    lex(["<!--"], "mcschema")
    late = lex(["def f(): pass"], "python")
    assert late.postponed
    assert late.rows == [[("syntax.text", "def f(): pass")]]
    await asyncio.sleep(0)
    assert styles(lex(["def f(): pass"], "python").rows)["def"] == "syntax.keyword"


def answer_cell(code: str) -> AnswerCell:
    return AnswerCell(f"```python\n{code}\n```", finished=True)


def growing_cell(code: str) -> AnswerCell:
    cell = AnswerCell("```python\n")
    for line in code.splitlines(keepends=True):
        cell.append(line)
        assert cell.chunks[-1].rows(40)
    return cell


def tool_cell(code: str) -> ToolCell:
    cell = ToolCell("read", "a.py")
    cell.finish("ok", [Code("a.py", code)])
    cell.expanded = True
    return cell


@pytest.mark.parametrize("cell", [answer_cell, growing_cell, tool_cell])
async def test_code_that_had_to_wait_is_coloured_without_a_key(cell: Callable[[str], Cell]) -> None:
    lex(["<!--"], "mcschema")  # the time of this turn is spent
    transcript = Transcript()
    transcript.append(cell("\n".join(f"def f{number}(): pass" for number in range(100))))
    async with Driver(App(transcript, screen=MemoryScreen(40, 120))) as driver:
        assert not [row for row in driver.styles() if ("syntax.keyword", "def") in row]
        await driver.settle()
        assert len([row for row in driver.styles() if ("syntax.keyword", "def") in row]) == 100


async def test_code_is_plain_outside_the_main_thread_where_a_lexer_could_not_be_stopped() -> None:
    assert await asyncio.to_thread(highlight, "def f(): pass", "python") == [[("syntax.text", "def f(): pass")]]
