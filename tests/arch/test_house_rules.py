"""The rules that a machine can hold the code to."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = sorted((ROOT / "packages").iterdir())
SOURCES = sorted(path for package in PACKAGES for path in (package / "src").rglob("*.py"))
_FOUND = (path for place in (*PACKAGES, ROOT) for path in (place / "tests").rglob("*.py"))
TESTS = sorted(path for path in _FOUND if "node_modules" not in path.parts)

FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
LONG_FUNCTIONS: set[str] = {
    # The whole embedding surface in one signature with its documentation: splitting it would hide it.
    "zot_core/runtime/runtime.py:__init__",
    # One `match` with a branch for each event: cut in parts, no part says which events are shown.
    "zot_agent/ui/presenter.py:show",
}


SHARED_NAMES = {
    # A frame of the extension protocol, and the event or value of the agent that it carries.
    *("ClearNotes", "ImageBlock", "Notify", "Panel", "PanelClose", "PanelRender", "Submit", "TextBlock"),
    *("ToolCall", "ToolResult"),
    "Operation",  # a verb of zot, and in its client a prompt that runs
    "Record",  # zot_ext imports nothing of zot_provider
}
ASKED_BY_NAME = {
    # Objects that the house has not made, and what they may have.
    "zot_agent/mcp/content.py": "blob mime_type text",  # a resource of a server, in the classes of its library
    "zot_core/runtime/resolve.py": "name",  # anything that was passed in place of a tool
    "zot_ext/protocol/codec.py": "id",  # the codec reads fields by name
    "zot_provider/accounts/google_cloud.py": "quota_project_id",  # some credentials of google-auth
    "zot_tui/app.py": "mouse_event",  # the others are of urwid: its widgets have what they can
    "zot_tui/widgets/dialogs/dialog.py": "wanted",
    "zot_tui/widgets/dialogs/stack.py": "mouse_event",
    "zot_tui/widgets/target.py": "press",
}
PLATFORM = {"os", "select", "signal"}
"""Modules that have other names on other systems."""
TABLES = {"Hooks"}
"""Classes whose attributes are the rows of a table."""
SIGNATURES = {
    # Keywords that people write: the signature is the interface.
    *("zot_agent/config/setting.py:Setting.__init__", "zot_agent/verbs/session.py:.navigate"),
    "zot_agent/cli/serve.py:._serve",
    *("zot_core/agent/state.py:AgentState.__init__", "zot_core/runtime/runtime.py:Runtime.__init__"),
    *("zot_core/sandbox/policy.py:.make_policy", "zot_core/tools/agent.py:.agent"),
    *("zot_core/tools/definition/tool.py:FunctionTool.__init__", "zot_core/tools/definition/builtin.py:.builtin"),
    *("zot_ext/calls/agent.py:Messages.send", "zot_ext/calls/session.py:Secrets.authorize"),
    "zot_ext/testing/fake_host.py:FakeHost.__init__",
}
BETWEEN_LOOPS = {
    # What they test comes after a loop or before it.
    "test_a_runtime_can_be_closed_after_its_loop",
    "test_a_runtime_whose_loop_was_closed_in_the_middle_works_in_the_next_one",
    "test_outside_of_a_loop_a_prompt_is_refused_and_nothing_is_left_behind",
    "test_the_tail_of_a_program_ends_the_run_with_done",
}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def within(path: Path) -> str:
    return str(path).partition("/src/")[2]


def test_a_class_has_at_most_15_attributes() -> None:
    found = {}
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and node.name not in TABLES:
                inside = [each for method in node.body for each in ast.walk(method) if isinstance(each, ast.Attribute)]
                stored = [each for each in inside if isinstance(each.ctx, ast.Store)]
                names = {each.attr for each in stored if isinstance(each.value, ast.Name) and each.value.id == "self"}
                if len(names) > 15:
                    found[node.name] = len(names)

    assert found == {}


def test_a_function_has_at_most_8_parameters() -> None:
    found = {}
    for path in SOURCES:
        classes = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)]
        owners = {method: node.name for node in classes for method in node.body}
        for function in functions(path):
            given = function.args
            names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)} - {"self", "cls"}
            name = f"{within(path)}:{owners.get(function, '')}.{function.name}"
            if len(names) > 8 and name not in SIGNATURES:
                found[name] = len(names)

    assert found == {}


def test_only_foreign_objects_are_asked_for_attributes_by_name() -> None:
    """A type says what an object has, and mypy finds a misspelt name. What Python gives objects has underscores, and
    an exception that may be one of the system `strerror`."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            match node:
                case ast.Call(ast.Name("getattr" | "hasattr"), [ast.Name(object), ast.Constant(str(name)), *_]):
                    foreign = object in PLATFORM or name.startswith("__") or name == "strerror"
                case ast.Call(ast.Name("getattr" | "hasattr"), [_, ast.Constant(str(name)), *_]):
                    foreign = name.startswith("__") or name == "strerror"
                case _:
                    continue
            if not foreign:
                found.setdefault(within(path), set()).add(name)

    assert found == {file: {*names.split()} for file, names in ASKED_BY_NAME.items()}


def test_only_threads_make_an_event_loop_with_asyncio_run() -> None:
    calls = [each for each in SOURCES if "zot_agent/" in within(each) and "asyncio.run(" in each.read_text("utf-8")]
    assert [within(each) for each in calls] == ["zot_agent/ui/input/files.py"], "use `run_in_loop`"


def test_a_source_file_longer_than_400_lines_gives_a_reason_and_none_has_more_than_450() -> None:
    long = []
    for path in SOURCES:
        lines = path.read_text("utf-8").splitlines()
        reason = any(line.startswith("# Longer than 400 lines: ") for line in lines[:20])
        if len(lines) > (450 if reason else 400):
            long.append(within(path))
    assert long == []


def test_no_folder_has_more_than_fifteen_modules() -> None:
    modules = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    assert [f"{within(folder)}: {count}" for folder, count in modules.items() if count > 15] == []


def test_no_function_is_longer_than_60_lines() -> None:
    long = {
        f"{within(path)}:{node.name}"
        for path in SOURCES
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno + 1 > 60
    }
    assert long == LONG_FUNCTIONS


def test_a_class_name_is_used_once_in_all_packages() -> None:
    names = Counter(
        node.name
        for path in SOURCES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} == SHARED_NAMES


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [path for path in SOURCES if FORBIDDEN_NAMES & set(path.with_suffix("").parts[-2:])] == []


def test_every_module_says_in_its_first_line_what_it_is() -> None:
    assert [within(path) for path in SOURCES if not ast.get_docstring(parsed(path))] == []


def test_a_method_without_a_contract_of_its_own_has_no_docstring() -> None:
    pointers = [
        f"{within(path)}:{node.lineno}"
        for path in SOURCES
        for node in functions(path)
        if len(node.body) > 1 and re.fullmatch(r"See [`\w.]+\.", ast.get_docstring(node) or "")
    ]
    assert pointers == []


def test_tasks_are_started_in_one_place_alone() -> None:
    callers = {
        within(path) for path in SOURCES if re.search(r"\b(create_task|ensure_future)\(", path.read_text("utf-8"))
    }
    assert callers == {"zot_core/aio.py"}


def test_our_own_code_is_never_patched_in_tests() -> None:
    patching = re.compile(r"mock\.patch|monkeypatch\.setattr\(\s*[\"']?zot_")
    assert [path for path in TESTS if path != Path(__file__) and patching.search(path.read_text("utf-8"))] == []


def test_a_test_that_awaits_is_a_coroutine() -> None:
    starting = {
        test.name
        for path in TESTS
        if "asyncio.run" in path.read_text("utf-8")
        for test in functions(path)
        if test.name.startswith("test_")
        for call in ast.walk(test)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "asyncio.run"
    }
    assert starting == BETWEEN_LOOPS


def is_typed(test: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    parameters = [*test.args.posonlyargs, *test.args.args, *test.args.kwonlyargs]
    annotations = [each.annotation for each in parameters if each.arg != "self"]
    return all(each is not None and ast.unparse(each) != "Any" for each in annotations) and test.returns is not None


def test_a_test_names_the_types_of_its_fixtures() -> None:
    untyped = [
        f"{path.relative_to(ROOT)}: {test.name}"
        for path in TESTS
        for test in functions(path)
        if test.name.startswith("test_") and not is_typed(test)
    ]
    assert untyped == []


def test_all_five_distributions_have_one_version_and_pin_each_other_to_it() -> None:
    versions, pins = set(), set()
    for package in PACKAGES:
        name = package.name.replace("-", "_")
        found = re.search(r'__version__ = "(.+)"', (package / "src" / name / "version.py").read_text("utf-8"))
        assert found
        versions.add(found.group(1))
        for dependency in tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]:
            if dependency.startswith("zot-"):
                pins.add(dependency.partition("==")[2])
    assert len(versions) == 1
    assert pins == versions


def test_every_package_is_a_root_of_the_import_contracts() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert sorted(tool["importlinter"]["root_packages"]) == [package.name.replace("-", "_") for package in PACKAGES]
