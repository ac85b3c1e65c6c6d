import re
import subprocess
import sys
from pathlib import Path

import pytest
import urwid

import zot_tui
from zot_tui.terminal import urwid_parts

SOURCE = Path(zot_tui.__file__).parent


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_widgets_and_the_app_load_no_widgets_of_urwid() -> None:
    code = (
        "import sys, zot_tui.app, zot_tui.widgets.transcript.transcript, zot_tui.widgets.input.editor,"
        " zot_tui.widgets.dialogs.picker;"
        "print(*[name for name in sys.modules if name.startswith('urwid')])"
    )
    loaded = set(run(code).split())
    assert "urwid.widget.widget" in loaded
    assert not {"urwid.vterm", "urwid.event_loop", "urwid.widget.listbox", "urwid.widget.text"} & loaded


@pytest.mark.parametrize("first", ["zot_tui.app", "zot_tui.terminal.urwid_parts", "zot_tui.text.width"])
def test_wcwidth_is_not_loaded_whole_whichever_module_comes_first(first: str) -> None:
    code = f"import sys, {first}, zot_tui.app; print(*[name for name in sys.modules if name.startswith('wcwidth')])"
    assert set(run(code).split()) <= {"wcwidth", "wcwidth.table_zero", "wcwidth._wcwidth_c"}


def test_any_other_name_of_urwid_is_there_when_it_is_asked_for() -> None:
    code = (
        "from zot_tui.terminal.canvas import Rows; import urwid, types;"
        "filler = urwid.Filler(urwid.Text('hello'));"
        "print(isinstance(Rows(list), urwid.Widget), isinstance(filler, urwid.Widget), type(urwid) is types.ModuleType,"
        " urwid.widget.FLOW is urwid.FLOW, urwid.__version__, *filler.render((5, 1)).text)"
    )
    assert run(code).split() == ["True", "True", "True", "True", urwid.__version__, "b'hello'"]


def test_urwid_can_be_imported_whole_afterwards() -> None:
    names = run("import zot_tui.app; from urwid import *; print(ListBox.__name__, Text.__name__, Widget.__name__)")
    assert names.split() == ["ListBox", "Text", "Widget"]


def test_a_name_that_urwid_does_not_have_is_an_attribute_error() -> None:
    code = (
        "from zot_tui.terminal.urwid_parts import urwid\n"
        "try: urwid.nothing\nexcept AttributeError as error: print('nothing' in str(error), urwid.Text.__name__)"
    )
    assert run(code).split() == ["True", "Text"]


def test_urwid_that_was_imported_before_stays_as_it_is() -> None:
    assert run("import urwid; before = urwid; import zot_tui.app; print(before is zot_tui.app.urwid)") == "True\n"


def test_every_name_of_urwid_that_is_used_is_known_and_the_same_one() -> None:
    paths = [path for path in SOURCE.rglob("*.py") if "testing" not in path.parts and path.name != "urwid_parts.py"]
    sources = [path.read_text() for path in paths]
    used = {name for text in sources for name in re.findall(r"(?<![\w.`])urwid\.([A-Za-z]\w*)", text)}
    assert used <= set(urwid_parts.HOMES)
    code = (
        "from zot_tui.terminal.urwid_parts import HOMES, urwid; found = {name: getattr(urwid, name) for name in HOMES};"
        "before = type(urwid).__name__; urwid.Text;"
        "print(before, all(vars(urwid)[name] is value for name, value in found.items()))"
    )
    assert run(code).split() == ["_DeferredPackage", "True"]  # else urwid keeps a name elsewhere, and was loaded whole


def test_what_is_drawn_first_loads_wcwidth_no_further_than_it_must() -> None:
    code = (
        "import sys; from zot_tui.text.width import width; import zot_tui.app; before = width('日本 e\u0301');"
        "loaded = [name for name in sys.modules if name.startswith('wcwidth.')];"
        "import wcwidth; whole = wcwidth.wcswidth('日本 e\u0301');"
        "import wcwidth.wcwidth as function;"
        "print(before, whole, function('日'), callable(wcwidth.list_versions), 'wcwidth.textwrap' in loaded)"
    )
    assert run(code).split() == ["6", "6", "2", "True", "False"]


def test_wcwidth_without_its_extension_measures_the_same() -> None:
    code = (
        "import os; os.environ['WCWIDTH_PYTHON'] = '1';"
        "from zot_tui.text.width import width; print(width('日本 e\u0301👩\u200d👧'))"
    )
    assert run(code) == "8\n"


def test_a_package_that_keeps_a_name_elsewhere_is_run(tmp_path: Path) -> None:
    package = tmp_path / "elsewhere"
    package.mkdir()
    (package / "__init__.py").write_text("name = 1\nother = 2\n")
    (package / "part.py").write_text("value = 3\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from zot_tui.deferred import defer;"
        "defer('elsewhere', {'name': 'elsewhere.gone', 'value': 'elsewhere.part'}); defer('not_there', {});"
        "import elsewhere; print(elsewhere.value, 'other' in vars(elsewhere), elsewhere.name, elsewhere.other)"
    )
    assert run(code).split() == ["3", "False", "1", "2"]
