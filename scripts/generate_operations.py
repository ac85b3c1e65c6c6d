"""Write what is made from the operations: names, methods of clients, the page's table, the rows and SDK of extensions.

`--check` says which files are not current. Run `make generate` after adding an operation or changing a signature.
"""

import ast
import inspect
import json
import subprocess
import sys
import textwrap
import typing
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import answer_schema

import zot_agent
import zot_ext
from zot_agent.operations.operation import Operation, OperationField
from zot_agent.operations.registry import all_operations

AGENT, EXT = Path(zot_agent.__file__).parent, Path(str(zot_ext.__file__)).parent
_FOUND = find_spec("ruff")
RUFF = Path(str(_FOUND and _FOUND.origin)).parents[4] / "bin" / "ruff"
"""Of the environment that has the package: that of `tests/docs/test_adding.py` has none of its own."""
WIDTH = 120


def annotation(hint: Any) -> str:
    """An annotation as a parameter of a method: lists may be any sequence."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(json.dumps, arguments))}]"
    if origin is typing.Annotated:
        return annotation(arguments[0])
    if origin is list:
        return f"Sequence[{annotation(arguments[0])}]"
    if origin is dict:
        return "Mapping[str, object]"
    return "object" if hint is Any else str(hint.__name__)


def parameters(operation: Operation[..., Any]) -> str:
    """The signature of a method: the first text that is needed, or the only one, may be given by its place."""
    shown, star = ["self"], False
    for each in [*inspect.signature(operation.handler).parameters.values()][1:]:
        if each.kind is each.KEYWORD_ONLY and not star:
            shown, star = [*shown, "*"], True
        default = () if each.default == [] else each.default
        value = (
            "" if each.default is each.empty else f" = {json.dumps(default) if isinstance(default, str) else default}"
        )
        shown.append(f"{each.name}: {annotation(each.annotation)}{value}")
    return ", ".join(shown)


def docstring(operation: Operation[..., Any], *, whole: bool) -> str:
    """What a method does, and if `whole`, what its parameters are."""
    parts = [operation.doc, *(f"{each.name}: {each.doc}" for each in (operation.fields if whole else ()))]
    wrapped = [textwrap.fill(each, WIDTH - 14, initial_indent="", subsequent_indent="    ") for each in parts]
    wrapped[0] = wrapped[0].replace("\n    ", "\n")
    text = "\n\n".join(["", *(["\n".join(wrapped[1:])] if wrapped[1:] else [])]).strip()
    body = textwrap.indent(f"{wrapped[0]}\n\n{text}\n" if text else wrapped[0], " " * 8).strip()
    return f'"""{body}{chr(10) + " " * 8 if text else ""}"""'


def given(field: OperationField) -> str:
    """A field as it is sent: not at all, if it is the default."""
    value = f"list({field.name})" if field.kind.call_kind == "list" else field.name
    if field.required:
        return f"{field.name}={value}"
    if field.default is None:
        return f"{field.name}={value}"
    if not field.default:
        return f"{field.name}={value} or None"
    if field.default is True:
        return f"{field.name}=None if {field.name} else False"
    return f"{field.name}=None if {field.name} == {field.default!r} else {field.name}"


def method(operation: Operation[..., Any], name: str, call: str, *, whole: bool = True) -> str:
    """A method that only passes fields on. `call` is the beginning of the call that does."""
    answer = answer_schema.answer_class(operation.handler)
    fields = "".join(f", {given(each)}" for each in operation.fields)
    called = f"{call}{operation.name!r}{fields})"
    given_back = "answer" if all(each.name != "answer" for each in operation.fields) else "answered"
    kind = "None" if answer is None else answer.__name__
    body = (
        f"        {called}\n"
        if answer is None
        else f"        {given_back}: {kind} = {called}\n        return {given_back}\n"
    )
    is_async = "async " if "await" in call else ""
    words = docstring(operation, whole=whole)
    return f"    {is_async}def {name}({parameters(operation)}) -> {kind}:\n        {words}\n{body}"


def imports(operations: Iterable[Operation[..., Any]], allowed: str = "") -> str:
    """The imports of the classes of answers; all must be of a module of `allowed`."""
    found: dict[str, list[str]] = {}
    for each in operations:
        answer = answer_schema.answer_class(each.handler)
        if answer is not None:
            if not answer.__module__.startswith(allowed):
                raise SystemExit(f"{each.name} is offered to extensions, so {answer.__name__} belongs into {allowed}")
            found.setdefault(answer.__module__, []).append(answer.__name__)
    return "".join(f"from {name} import {', '.join(sorted(set(each)))}\n" for name, each in sorted(found.items()))


def names(operations: dict[str, Operation[..., Any]]) -> str:
    """`operations/names.py`."""
    modules = {name: each.handler.__module__.partition(".")[2] for name, each in operations.items()}
    aliases = {each.alias: name for name, each in operations.items() if each.alias}
    return (
        '"""The operations by name; written by `scripts/generate_operations.py`."""\n\n'
        f'MODULES = {modules!r}\n"""The module of each operation."""\n\n'
        f'ALIASES = {aliases!r}\n"""Their names in the first versions of the protocol, for clients."""\n'
    )


LONG = "# Longer than 400 lines: it has a method for each operation.\n"
BY_HAND = {"hello", "prompts.send", "control.compact"}
"""What the client writes by hand, because more belongs to it, such as the events that follow."""


def commands(operations: dict[str, Operation[..., Any]], name: str, base: str, words: str, note: str = "") -> str:
    """A module of the client: the class `name`, which completes `base`, a class of the module of these words."""
    sent = [each for each in operations.values() if each.name not in BY_HAND]
    methods = [method(each, each.name.replace(".", "_"), "await self.request(", whole=False) for each in sent]
    return (
        f'"""{words} as methods of the client; written by `scripts/generate_operations.py`."""\n{note}\n'
        "from collections.abc import Mapping, Sequence\nfrom typing import Literal\n\n"
        f"from zot_agent.client.{base}\n{imports(sent)}\n\nclass {name}({base.rpartition(' ')[2]}):\n"
        '    """Raises what `RpcClient` raises. The fields are described in docs/generated/rpc.md."""\n\n'
        + "\n".join(methods)
    )


def page(operations: dict[str, Operation[..., Any]]) -> str:
    """`serve/page/operations.js`."""
    named = [(name, each) for each in operations.values() for name in (each.name, each.alias) if name]
    lines = [f"  {json.dumps(name)}: {json.dumps([field.name for field in each.fields])},\n" for name, each in named]
    head = "// The fields of each operation, by its names; written by `scripts/generate_operations.py`.\n"
    return f"{head}export const FIELDS = {{\n{''.join(sorted(lines))}}};\n"


def rows(operations: dict[str, Operation[..., Any]]) -> str:
    """`protocol/calls/operations.json` of `zot_ext`: the rows of `HostMethod`, and in them those of `CallParam`."""
    found = []
    for each in operations.values():
        fields = [[field.name, field.kind.call_kind, field.doc, field.required] for field in each.fields]
        found.append([each.name, each.group, each.doc, fields, each.when != "any", each.needs])
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def written_by_hand() -> dict[str, set[str]]:
    """The methods of the classes of the SDK by the class that they complete."""
    found: dict[str, set[str]] = {}
    for path in (EXT / "calls").glob("*.py"):
        for each in ast.parse(path.read_text("utf-8")).body:
            if isinstance(each, ast.ClassDef):
                own = {part.name for part in each.body if isinstance(part, ast.FunctionDef)}
                found |= {base.id: own for base in each.bases if isinstance(base, ast.Name)}
    return found


def calls(operations: dict[str, Operation[..., Any]]) -> str:
    """`calls/operations.py` of `zot_ext`: what the classes of the SDK do not write by hand."""
    by_hand = written_by_hand()
    offered = "zot_ext.protocol."
    page, left = "", []
    for word in dict.fromkeys(name.partition(".")[0] for name in operations):
        base = f"{word.capitalize()}Operations"
        page += f"\n\nclass {base}(Calls):\n"
        page += f'    """The calls of `ext.{word}` that only pass on fields."""\n\n'
        for name, each in operations.items():
            own = name.partition(".")[2]
            if name.startswith(f"{word}.") and own not in by_hand.get(base, ()):
                page += "\n" + method(each, own, "self._call(")
                left.append(each)
    typed = "".join(f"    {line}\n" for line in imports(left, offered).splitlines())
    return (
        '"""The operations as calls of the SDK; written by `scripts/generate_operations.py`."""\n\n'
        "from __future__ import annotations\n\nfrom zot_ext.calls.caller import Calls\n\nTYPE_CHECKING = False\n"
        "if TYPE_CHECKING:\n    from collections.abc import Mapping, Sequence\n    from typing import Any, Literal\n\n"
        f"{typed}{page}"
    )


def formatted(path: Path, text: str) -> str:
    """A module as `make fix` leaves it."""
    for command in (("check", "--fix-only", "--quiet", "--extend-select", "F401"), ("format", "--quiet")):
        ran = subprocess.run(
            [RUFF, *command, "--stdin-filename", path, "-"], input=text, capture_output=True, text=True, check=True
        )
        text = ran.stdout
    return text


def texts() -> dict[Path, str]:
    """The files and their content."""
    operations = all_operations()
    offered = {name: each for name, each in operations.items() if each.group}
    dotted = {name: each for name, each in operations.items() if "." in name}
    found = {
        AGENT / "operations" / "names.py": names(operations),
        AGENT / "serve" / "page" / "operations.js": page(operations),
        AGENT / "client" / "operations.py": commands(
            dotted, "OperationCommands", "screen import ScreenCommands", "The operations", LONG
        ),
        AGENT / "client" / "screen.py": commands(
            {name: each for name, each in operations.items() if name not in dotted},
            "ScreenCommands",
            "connection import RpcConnection",
            "The operations about the client itself",
        ),
        EXT / "protocol" / "calls" / "operations.json": rows(offered),
        EXT / "calls" / "operations.py": calls(offered),
    }
    return {path: formatted(path, text) if path.suffix == ".py" else text for path, text in found.items()}


def main() -> int:
    """Write the files, or with `--check` say which are not current; return the exit code."""
    stale = {path: text for path, text in texts().items() if not path.exists() or path.read_text("utf-8") != text}
    if "--check" in sys.argv and stale:
        print(f"not current: {', '.join(map(str, stale))}; run make generate", file=sys.stderr)
        return 1
    for path, text in stale.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
