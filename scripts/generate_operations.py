"""Write what is made from the operations: names, methods of clients, the page's table, the rows and SDK of extensions.

`--check` says which files are not current. Run `make generate` after adding an operation or changing a signature.
"""

import ast
import inspect
import json
import subprocess
import sys
import textwrap
import types
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
from zot_agent.operations.operation import Operation
from zot_agent.operations.registry import all_operations
from zot_ext.groups import Groups
from zot_ext.protocol.fields import CallField

AGENT, EXT = Path(zot_agent.__file__).parent, Path(str(zot_ext.__file__)).parent
_FOUND = find_spec("ruff")
RUFF = Path(str(_FOUND and _FOUND.origin)).parents[4] / "bin" / "ruff"
"""Of the environment that has the package: that of `tests/docs/test_adding.py` has none of its own."""
WIDTH = 120


def annotation(hint: Any, *, given: bool = True) -> str:
    """An annotation as a stub has it, without the name of an alias. Of what is `given`, lists may be any sequence."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    parts = [annotation(each, given=given) for each in arguments if origin not in (typing.Literal, typing.Annotated)]
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin is typing.Annotated:
        return annotation(arguments[0], given=given)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(parts)
    if given and (origin is dict or typing.is_typeddict(hint)):
        return "Mapping[str, object]"
    if origin is list and given:
        return f"Sequence[{parts[0]}]"
    name = {Any: "object" if given else "Any", type(None): "None"}.get(hint) or (origin or hint).__name__
    return f"{name}[{', '.join(parts)}]" if parts else name


def answer_source(cls: Any) -> str:
    """The class of an answer for a stub that cannot import it."""
    fields = "".join(
        f"    {name}: {annotation(hint, given=False)}\n" for name, hint in answer_schema.hints(cls).items()
    )
    return f'class {cls.__name__}(TypedDict):\n    """{cls.__doc__}"""\n\n{fields}'


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
        "fields": {name: signature(each) for name, each in operations.items() if each.scope != "extension"},
    }
    return in_lines(found, 2)


def commands(operations: dict[str, Operation[..., Any]]) -> str:
    """`client/operations.pyi`."""
    sent = [each for each in operations.values() if each.name not in BY_HAND and each.scope != "extension"]
    methods = [method(each, each.name.replace(".", "_"), "async def") for each in sent]
    return (
        '"""The operations as methods of the client; written by `scripts/generate_operations.py`."""\n\n'
        "from collections.abc import Mapping, Sequence\nfrom typing import Literal\n\n"
        f"from zot_agent.client.connection import RpcConnection\n{imports(answers(sent))}\n\n"
        'class OperationCommands(RpcConnection):\n    """Raises what `RpcClient` raises."""\n\n' + "\n".join(methods)
    )


def page(operations: dict[str, Operation[..., Any]]) -> str:
    """`serve/page/operations.js`."""
    sent = [each for each in operations.values() if each.scope != "extension"]
    named = [(name, each) for each in sent for name in (each.name, each.alias) if name]
    lines = [f"  {json.dumps(name)}: {json.dumps([field.name for field in each.fields])},\n" for name, each in named]
    head = "// The fields of each operation, by its names; written by `scripts/generate_operations.py`.\n"
    return f"{head}export const FIELDS = {{\n{''.join(sorted(lines))}}};\n"


def signature(operation: Operation[..., Any]) -> list[str]:
    """The fields of a method, with a star before those given by name alone."""
    names = [each.name for each in operation.fields]
    return names if operation.places == len(names) else [*names[: operation.places], "*", *names[operation.places :]]


def row(field: CallField) -> list[Any]:
    """The row of a field, which `read_methods` reads."""
    found = [field.name, field.schema, field.doc, field.required]
    if field.only is not None:
        return [*found, field.default, field.only.other, *field.only.values]
    return found if field.default is None else [*found, field.default]


def rows(operations: dict[str, Operation[..., Any]]) -> str:
    """`protocol/calls/operations.json` of `zot_ext`: the rows of `HostMethod`, and in them those of `CallField`."""
    found = []
    for each in operations.values():
        fields = [row(field) for field in each.fields]
        found.append(
            [each.name, each.group, each.doc, fields, each.when != "any", each.needs, each.alias, signature(each)]
        )
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
    words = [*dict.fromkeys(name.partition(".")[0] for name in operations)]
    for word in words:
        base = f"{word.capitalize()}Operations"
        page += f'\n\nclass {base}(Calls):\n    """The calls of `ext.{word}` that only pass on fields."""\n'
        for name, each in operations.items():
            short = name.partition(".")[2]
            if name.startswith(f"{word}.") and short not in by_hand.get(base, ()):
                page += "\n" + method(each, short, "def")
                left.append(each)
    known = answers(left)
    own = [each for each in known if each.__module__.startswith("zot_ext.")]
    beside = "".join(f"\n{answer_source(each)}\n" for each in known if each not in own)
    left_out = [word for word in words if f"{word.capitalize()}Operations" not in by_hand]
    if taken := [word for word in left_out if hasattr(Groups, word)]:
        raise SystemExit(f"ext.{taken[0]} is another thing: its class must complete {taken[0].capitalize()}Operations")
    kinds = [(word, f"{word.capitalize()}Operations") for word in left_out]
    groups = "".join(f"    @property\n    def {word}(self) -> {kind}: ...\n" for word, kind in kinds)
    return (
        '"""The operations as calls of the SDK; written by `scripts/generate_operations.py`."""\n\n'
        "from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal, NotRequired, TypedDict\n\n"
        f"from zot_ext.calls.caller import Calls\n{imports(own)}\n{beside}"
        "def given_fields(\n    operation: str, signature: Sequence[str], values: Sequence[object], "
        "fields: Mapping[str, object]\n) -> dict[str, Any]: ...\n"
        f'{page}\n\nclass OperationGroups:\n    """What an extension has besides `Groups`."""\n\n{groups}'
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
