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
from json_lines import in_lines

import zot_agent
import zot_ext
from zot_agent.client.connection import BY_HAND
from zot_agent.operations.operation import Operation, OperationField
from zot_agent.operations.registry import all_operations
from zot_ext.protocol.calls.method import KINDS as CALL_KINDS

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
    if origin is dict or typing.is_typeddict(hint):
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


def docstring(operation: Operation[..., Any]) -> str:
    """What a method does, and what its parameters are."""
    parts = [operation.doc, *(f"{each.name}: {each.doc}" for each in operation.fields)]
    wrapped = [textwrap.fill(each, WIDTH - 14, initial_indent="", subsequent_indent="    ") for each in parts]
    wrapped[0] = wrapped[0].replace("\n    ", "\n")
    text = "\n\n".join(["", *(["\n".join(wrapped[1:])] if wrapped[1:] else [])]).strip()
    body = textwrap.indent(f"{wrapped[0]}\n\n{text}\n" if text else wrapped[0], " " * 8).strip()
    return f'"""{body}{chr(10) + " " * 8 if text else ""}"""'


def method(operation: Operation[..., Any], name: str, begin: str) -> str:
    """The signature of a method that only passes fields on."""
    answer = answer_schema.answer_class(operation.handler)
    kind = "None" if answer is None else answer.__name__
    kind += " | None" if answer is not None and answer_schema.may_be_missing(operation.handler) else ""
    return f"    {begin} {name}({parameters(operation)}) -> {kind}:\n        {docstring(operation)}\n"


def answers(operations: Iterable[Operation[..., Any]]) -> list[Any]:
    """The classes of answers, each after the classes in it."""
    found: dict[Any, None] = {}

    def add(hint: Any) -> None:
        if typing.is_typeddict(hint) and hint not in found:
            for each in answer_schema.hints(hint).values():
                add(each)
            found[hint] = None
        for each in typing.get_args(hint):
            add(each)

    for each in operations:
        add(answer_schema.answer_class(each.handler))
    return [*found]


def imports(classes: Iterable[Any]) -> str:
    """The imports of classes of answers."""
    found: dict[str, list[str]] = {}
    for each in classes:
        found.setdefault(each.__module__, []).append(each.__name__)
    return "".join(f"from {name} import {', '.join(sorted(each))}\n" for name, each in sorted(found.items()))


def names(operations: dict[str, Operation[..., Any]]) -> str:
    """`operations/names.json`."""
    found = {
        "modules": {name: each.handler.__module__.partition(".")[2] for name, each in operations.items()},
        "aliases": {each.alias: name for name, each in operations.items() if each.alias},
        "waits": [name for name, each in operations.items() if each.waits],
        "fields": {name: [part.name for part in each.fields] for name, each in operations.items()},
    }
    return in_lines(found, 2)


def commands(operations: dict[str, Operation[..., Any]]) -> str:
    """`client/operations.pyi`."""
    sent = [each for each in operations.values() if each.name not in BY_HAND]
    methods = [method(each, each.name.replace(".", "_"), "async def") for each in sent]
    return (
        '"""The operations as methods of the client; written by `scripts/generate_operations.py`."""\n\n'
        "from collections.abc import Mapping, Sequence\nfrom typing import Literal\n\n"
        f"from zot_agent.client.connection import RpcConnection\n{imports(answers(sent))}\n\n"
        'class OperationCommands(RpcConnection):\n    """Raises what `RpcClient` raises."""\n\n' + "\n".join(methods)
    )


def page(operations: dict[str, Operation[..., Any]]) -> str:
    """`serve/page/operations.js`."""
    named = [(name, each) for each in operations.values() for name in (each.name, each.alias) if name]
    lines = [f"  {json.dumps(name)}: {json.dumps([field.name for field in each.fields])},\n" for name, each in named]
    head = "// The fields of each operation, by its names; written by `scripts/generate_operations.py`.\n"
    return f"{head}export const FIELDS = {{\n{''.join(sorted(lines))}}};\n"


def param(field: OperationField) -> list[Any]:
    """The row of a field: what `CallParam` is made from, without the usual limits at its end."""
    kind = field.kind
    choices = (kind if kind.each is None else kind.each).form.get("enum", [])
    own = kind.most if kind.most != CALL_KINDS[kind.call_kind].most and not choices else 0
    limits = [kind.form.get("minimum", 0), kind.form.get("maximum", own), choices]
    row = [field.name, kind.call_kind, field.doc, field.required, *limits]
    while not row[-1] and len(row) > 4:
        row.pop()
    return row


def rows(operations: dict[str, Operation[..., Any]]) -> str:
    """`protocol/calls/operations.json` of `zot_ext`: the rows of `HostMethod`, and in them those of `CallParam`."""
    found = []
    for each in operations.values():
        fields = [param(field) for field in each.fields]
        found.append([each.name, each.group, each.doc, fields, each.when != "any", each.needs, each.alias])
    return in_lines(found, 1)


def denied(operations: dict[str, Operation[..., Any]]) -> str:
    """`protocol/calls/denied.json` of `zot_ext`: what extensions may not do, by each of its names."""
    found = {
        name: each.name for each in operations.values() if not each.group for name in (each.name, each.alias) if name
    }
    return in_lines(found, 1)


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
    """`calls/operations.pyi` of `zot_ext`: what the classes of the SDK do not write by hand."""
    by_hand = written_by_hand()
    page, left = "", list[Operation[..., Any]]()
    for word in dict.fromkeys(name.partition(".")[0] for name in operations):
        base = f"{word.capitalize()}Operations"
        page += f'\n\nclass {base}(Calls):\n    """The calls of `ext.{word}` that only pass on fields."""\n'
        for name, each in operations.items():
            short = name.partition(".")[2]
            if name.startswith(f"{word}.") and short not in by_hand.get(base, ()):
                page += "\n" + method(each, short, "def")
                left.append(each)
    known = answers(left)
    own = [each for each in known if each.__module__.startswith("zot_ext.")]
    beside = "".join(f"\n{inspect.getsource(each)}\n" for each in known if each not in own)  # which it cannot import
    return (
        '"""The operations as calls of the SDK; written by `scripts/generate_operations.py`."""\n\n'
        "from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal, NotRequired, TypedDict\n\n"
        f"from zot_ext.calls.caller import Calls\n{imports(own)}\n{beside}"
        "def given_fields(\n    operation: str, names: Sequence[str], values: Sequence[object], "
        "fields: Mapping[str, object]\n) -> dict[str, Any]: ...\n"
        f"{page}"
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
    found = {
        AGENT / "operations" / "names.json": names(operations),
        AGENT / "serve" / "page" / "operations.js": page(operations),
        AGENT / "client" / "operations.pyi": commands(operations),
        EXT / "protocol" / "calls" / "operations.json": rows(offered),
        EXT / "protocol" / "calls" / "denied.json": denied(operations),
        EXT / "calls" / "operations.pyi": calls(offered),
    }
    return {path: formatted(path, text) if path.suffix == ".pyi" else text for path, text in found.items()}


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
