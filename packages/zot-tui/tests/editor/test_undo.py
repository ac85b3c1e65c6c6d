from zot_tui.editor.undo import TextEdit, UndoStack


def test_typed_edits_in_a_row_are_one_step() -> None:
    stack = UndoStack()
    stack.add(TextEdit(0, "", "a", 0), typed=True)
    stack.add(TextEdit(1, "", "b", 1), typed=True)
    assert stack.undo() == TextEdit(0, "", "ab", 0)
    assert stack.undo() is None
    assert stack.redo() == TextEdit(0, "", "ab", 0)


def test_a_closed_step_takes_no_more() -> None:
    stack = UndoStack()
    stack.add(TextEdit(0, "", "a", 0), typed=True)
    stack.close()
    stack.add(TextEdit(1, "", "b", 1), typed=True)
    assert stack.undo() == TextEdit(1, "", "b", 1)


def test_typing_elsewhere_is_a_step_of_its_own() -> None:
    stack = UndoStack()
    stack.add(TextEdit(5, "", "a", 5), typed=True)
    stack.add(TextEdit(0, "", "b", 0), typed=True)
    assert stack.undo() == TextEdit(0, "", "b", 0)


def test_a_new_edit_forgets_what_was_taken_back() -> None:
    stack = UndoStack()
    stack.add(TextEdit(0, "", "a", 0))
    stack.undo()
    stack.add(TextEdit(0, "", "b", 0))
    assert stack.redo() is None


def test_old_edits_are_forgotten() -> None:
    stack = UndoStack(limit=2)
    for number in range(3):
        stack.add(TextEdit(number, "", "x", number))
    assert [stack.undo(), stack.undo(), stack.undo()] == [TextEdit(2, "", "x", 2), TextEdit(1, "", "x", 1), None]
