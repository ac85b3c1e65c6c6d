"""The tree of a session, against a plain one."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from zot_core.sessions.branch import copy_branch, read_family
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Label, Meta
from zot_core.sessions.tree import KINDS, SessionTree
from zot_provider.messages import Message, TextBlock, new_entry_id

META = Meta("5b0e6f8c", "/p", "m", "p", "then")


def printed(children: dict[str, list[str]], id: str, depth: int, head: str) -> list[tuple[str, int, str]]:
    """The entries from this one on as a printed tree, each with its depth and the first entry of its branch."""
    first, *others = children.get(id, []) or [""]
    found = [(id, depth, head)]
    found += printed(children, first, depth, head) if first else []
    for other in others:
        found += printed(children, other, depth + 1, other)
    return found


@given(st.lists(st.integers(0, 30), max_size=25))
def test_any_tree_is_walked_as_it_is_printed(parents: list[int]) -> None:
    tree, children = SessionTree(), dict[str, list[str]]()
    for number, parent in enumerate(parents):
        at = str(parent % (number + 1))  # 0 stands for none, else an entry that is there
        before = "" if at == "0" else at
        tree.add(str(number + 1), before, "user", Message("user", []))
        children.setdefault(before, []).append(str(number + 1))
    expected: list[tuple[str, int, str]] = []
    for position, root in enumerate(children.get("", [])):
        expected += printed(children, root, int(position > 0), root)
    walked = [(tree.ids[each], depth, tree.ids[head]) for part, depth, head in tree.walk() for each in part]
    assert walked == expected
    assert {id: tree.children(id) for id in ["", *tree.ids] if tree.children(id)} == children
    for id in tree.ids:
        path = tree.path(id)
        assert [tree.node(each).parent for each in path] == ["", *path[:-1]]
        assert path[-1] == id


def say(session: SessionFile, text: str) -> str:
    message = Message("user", [TextBlock(text)])
    session.append(message)
    return message.id


def test_a_copied_part_is_not_read_again_but_what_follows_it_is(tmp_path: Path) -> None:
    session = SessionFile(str(tmp_path / "20260301-120000-5b0e6f8c.jsonl"), META)
    first, second = say(session, "a"), say(session, "b")
    session.label(Label(first, "old", new_entry_id()))
    third = say(session, "c")
    copy = copy_branch(session.path, session.meta, second)
    stored = load(copy)
    branch = SessionFile(copy, stored.meta, resume=stored)
    branch.label(Label(first, "new", new_entry_id()))
    fourth = say(branch, "d")
    for each in (session, branch):
        tree = read_family(each)
        assert {tree.path(leaf)[-1]: tree.path(leaf) for leaf in tree.leaves.values()} == {
            third: [first, second, third],
            fourth: [first, second, fourth],
        }
        assert tree.labels == {first: "new"}
        assert tree.first_lines(tree.ids) == {first: "a", second: "b", third: "c", fourth: "d"}
        each.close()
    other = "0" * len(first)
    (tmp_path / copy).write_bytes((tmp_path / copy).read_bytes().replace(first.encode(), other.encode()))
    assert other not in read_family(session)


def test_messages_that_only_the_model_sees_are_no_prompts_of_a_person(tmp_path: Path) -> None:
    session = SessionFile(str(tmp_path / "20260301-120000-5b0e6f8c.jsonl"), META)
    prompts = [say(session, text) for text in ("a", '"hidden":"not a note"')]
    note = Message("user", [TextBlock("the mode is plan")], hidden="the mode")
    session.append(note)
    memory = SessionTree()
    for id, message in zip(prompts, ("a", "b"), strict=True):
        memory.add(id, "", "user", Message("user", [TextBlock(message)]))
    memory.add(note.id, prompts[1], "user", note)
    for tree in (read_family(session), memory):
        assert [tree.ids[number] for number in tree.of_kinds(range(3), KINDS)] == prompts
        assert tree.node(note.id).kind == "user"
    session.close()
