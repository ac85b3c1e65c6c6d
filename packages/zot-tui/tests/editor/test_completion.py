import pytest

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.completion import LIMIT, Candidate, Completer, CompletionQuery, CompletionSource
from zot_tui.editor.completion_sources import CommandCompletion, CommandSource, FileSource

COMMANDS = [
    CommandCompletion("help", "what can be done", "session"),
    CommandCompletion("model", "choose a model", "model", arguments=True),
    CommandCompletion("compact", "make room", "session"),
]
FILES = ["README.md", "src/", "src/app.py", "src/main.py", "my notes.txt", "my dir/"]


@pytest.fixture
def completer() -> Completer:
    return Completer([CommandSource(lambda: COMMANDS), FileSource(lambda: FILES)])


def query(text: str, cursor: int) -> CompletionQuery | None:
    found = [source.find(text, cursor) for source in (CommandSource(list), FileSource(list))]
    return next((each for each in found if each is not None), None)


def names(completer: Completer) -> list[str] | None:
    return [each.name for each in completer.popup.candidates] if completer.popup else None


def typed(completer: Completer, text: str, cursor: int | None = None) -> Buffer:
    cursor = len(text) if cursor is None else cursor
    completer.update(text, cursor)
    buffer = Buffer(text)
    buffer.move(cursor)
    return buffer


@pytest.mark.parametrize(
    ("text", "cursor", "expected"),
    [
        ("/", 1, ("command", 0, 1, "")),
        ("/he", 2, ("command", 0, 3, "h")),
        ("/help me", 8, None),
        ("/help", 0, None),
        (" /help", 6, None),
        ("see /usr", 8, None),
        ("@", 1, ("file", 0, 1, "")),
        ("see @src/m now", 10, ("file", 4, 10, "src/m")),
        ("see @src/m now", 8, ("file", 4, 10, "src")),
        ("see @src/m now", 4, None),
        ("see @src/m now", 11, None),
        ("a@b.c", 5, None),
        ("x\n@a", 4, ("file", 2, 4, "a")),
        ('@"my no', 7, ("file", 0, 7, "my no")),
        ('@"my notes.txt" x', 5, ("file", 0, 15, "my ")),
        ('@"my\n', 5, None),
        ("", 0, None),
    ],
)
def test_what_is_completed_depends_on_the_place_of_the_cursor(
    text: str, cursor: int, expected: tuple[str, int, int, str] | None
) -> None:
    found = query(text, cursor)
    assert (found and (found.kind, found.start, found.end, found.text)) == expected


def test_a_slash_lists_all_commands_with_their_groups(completer: Completer) -> None:
    completer.update("/", 1)
    assert [(each.name, each.group) for each in completer.popup.candidates] == [
        ("help", "session"),
        ("model", "model"),
        ("compact", "session"),
    ]


def test_letters_narrow_the_list_and_mark_what_they_found(completer: Completer) -> None:
    completer.update("/mo", 3)
    assert names(completer) == ["model"]
    assert completer.popup.candidates[0].positions == [0, 1]
    completer.update("/moz", 4)
    assert completer.popup is None


def test_enter_sends_a_command_without_arguments_and_waits_for_those_of_others(completer: Completer) -> None:
    buffer = typed(completer, "/he")
    replacement = completer.enter()
    replacement.apply(buffer)
    assert (buffer.text, replacement.submit) == ("/help", True)
    buffer = typed(completer, "/mo")
    replacement = completer.enter()
    replacement.apply(buffer)
    assert (buffer.text, buffer.cursor, replacement.submit) == ("/model ", 7, False)


def test_tab_completes_and_sends_nothing(completer: Completer) -> None:
    buffer = typed(completer, "/he")
    replacement = completer.complete()
    replacement.apply(buffer)
    assert (buffer.text, replacement.submit) == ("/help ", False)
    assert completer.popup is None


def test_a_file_is_found_by_its_letters_and_put_for_the_whole_word(completer: Completer) -> None:
    buffer = typed(completer, "see @mainp now", 8)
    assert names(completer)[0] == "src/main.py"
    completer.enter().apply(buffer)
    assert buffer.text == "see @src/main.py  now"
    assert buffer.cursor == len("see @src/main.py ")
    buffer.undo()
    assert buffer.text == "see @mainp now"


def test_behind_a_directory_the_search_goes_on(completer: Completer) -> None:
    buffer = typed(completer, "@sr")
    assert names(completer)[0] == "src/"
    completer.complete().apply(buffer)
    assert buffer.text == "@src/"
    completer.update(buffer.text, buffer.cursor)
    assert set(names(completer)) == {"src/", "src/app.py", "src/main.py"}


def test_a_path_with_spaces_is_quoted(completer: Completer) -> None:
    buffer = typed(completer, "@notes")
    completer.complete().apply(buffer)
    assert buffer.text == '@"my notes.txt" '
    buffer = typed(completer, "@mydir")
    completer.complete().apply(buffer)
    assert buffer.text == '@"my dir/'
    completer.update(buffer.text, buffer.cursor)
    assert names(completer) == ["my dir/"]


def test_up_and_down_go_round(completer: Completer) -> None:
    completer.update("/", 1)
    assert completer.up()
    assert completer.popup.chosen == 2
    assert completer.down()
    assert completer.down()
    assert completer.popup.chosen == 1
    completer.update("/", 1)
    assert completer.popup.chosen == 1
    completer.update("/h", 2)
    assert completer.popup.chosen == 0


def test_escape_closes_the_list_until_another_word_is_begun(completer: Completer) -> None:
    completer.update("@s", 2)
    assert completer.cancel()
    completer.update("@sr", 3)
    assert completer.popup is None
    completer.update("@sr ", 4)
    completer.update("@sr @s", 6)
    assert completer.popup is not None
    completer.update("", 0)
    completer.update("@s", 2)
    assert completer.popup is not None


def test_without_a_list_the_keys_mean_something_else(completer: Completer) -> None:
    completer.update("text", 4)
    assert (completer.complete(), completer.enter(), completer.up(), completer.cancel()) == (None, None, False, False)


def test_many_files_give_a_short_list() -> None:
    completer = Completer([FileSource(lambda: [f"src/module{number}/file.py" for number in range(20_000)])])
    completer.update("@", 1)
    assert len(completer.popup.candidates) == LIMIT
    completer.update("@m19999", 7)
    assert names(completer)[0] == "src/module19999/file.py"


class Smileys(CompletionSource):
    """What ends in `:`; it notes what it was asked to follow."""

    def __init__(self) -> None:
        self.followed: list[str] = []

    def find(self, text: str, cursor: int) -> CompletionQuery | None:
        return CompletionQuery("smiley", cursor - 1, cursor, "") if text[:cursor].endswith(":") else None

    def candidates(self, query: CompletionQuery) -> list[Candidate]:
        return [Candidate("smile", "☺"), Candidate("frown", "☹", inside=True)]

    def follow(self, query: CompletionQuery | None) -> None:
        self.followed.append("" if query is None else query.kind)


def test_a_source_of_another_kind_is_completed_like_the_others() -> None:
    smileys = Smileys()
    completer = Completer([CommandSource(lambda: COMMANDS), smileys])
    buffer = typed(completer, "well :")
    assert (names(completer), smileys.followed) == (["smile", "frown"], ["smiley"])
    completer.complete().apply(buffer)
    assert buffer.text == "well ☺ "
    completer.update("well :", 6)
    completer.down()
    assert (completer.into(6).text, completer.out(6)) == ("☹", None)
    completer.hide()
    assert (completer.popup, smileys.followed[-1]) == (None, "")
