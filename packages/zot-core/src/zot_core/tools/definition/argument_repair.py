"""The meaning of arguments that do not fit the schema, if they can only mean one thing; pure.

Each correction has a note, so that the model does better the next time.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from zot_provider.near_names import folded, nearest

Schema: TypeAlias = Mapping[str, Any]

_SYNONYMS = [
    {"path", "file", "filepath", "filename", "absolutepath", "targetfile", "uri"},
    {"path", "dir", "directory", "dirpath", "directorypath", "folder", "cwd", "root"},
    {"content", "contents", "text", "filetext", "filecontent", "codecontent", "newcontent"},
    {"content", "task", "title", "description", "step"},
    {"command", "cmd", "script", "commandline", "shellcommand"},
    {"pattern", "query", "regex", "regexp", "search", "searchpattern", "glob", "globpattern", "name"},
    {"oldtext", "oldstring", "oldstr", "old", "search", "find", "original", "from"},
    {"newtext", "newstring", "newstr", "new", "replace", "replacement", "replacewith", "updated", "to"},
    {"edits", "edit", "changes", "replacements", "operations"},
    {"offset", "start", "startline", "line", "linestart"},
    {"limit", "maxresults", "headlimit", "maxcount", "count", "lines", "numlines"},
    {"items", "todos", "tasks", "list", "plan"},
    {"background", "runinbackground", "isbackground"},
    {"ignorecase", "caseinsensitive"},
    {"literal", "fixedstrings"},
    {"include", "glob", "fileglob", "includepattern"},
    {"id", "jobid", "taskid", "bashid", "shellid"},
    {"name", "skill", "skillname"},
]
"""Names that other programs give to one parameter: lower case, letters only."""
_MEANINGS = {name: {at for at, names in enumerate(_SYNONYMS) if name in names} for each in _SYNONYMS for name in each}
"""The numbers of the synonyms with a name."""

_SHELL = r"(/usr)?(/bin/)?(ba|z|)sh -l?c"
_LONGEST = 200_000
"""Characters of a text that is read as a value of Python."""
_NOTHING = ("", "null", "none", "undefined")


def read_arguments(text: str) -> tuple[dict[str, Any], list[str]]:
    """Return the object that the JSON text of arguments means, and notes. Raises ValueError for any other text."""
    if not text.strip():
        return {}, []
    try:
        value = _loads(text)
    except ValueError as error:
        value = _almost_json(text)
        if not isinstance(value, dict):
            raise error
        return value, ["the arguments were not valid JSON; send one JSON object, with escapes in its texts"]
    if isinstance(value, dict):
        return value, []
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    inner = _almost_json(inner) if isinstance(inner, str) else inner
    if not isinstance(inner, dict):
        raise ValueError(f"the arguments must be a JSON object, not {type(value).__name__}")
    return inner, [f"the arguments were {_kind(value)}; send the JSON object itself"]


def meant(arguments: dict[str, Any], schema: Schema) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments as the schema has them, where they can only mean that, and notes. Values that fit, and those
    that nobody can guess, stay as they are."""
    if _needs_nothing(arguments, schema):
        return arguments, []
    notes: list[str] = []
    arguments = _unwrapped(arguments, schema, notes)
    return _object(arguments, schema, "", notes), notes


def _needs_nothing(arguments: Mapping[str, Any], schema: Schema) -> bool:
    """Return whether all are texts that the schema wants, or lists of objects with such texts, as in most calls."""
    properties: Schema = schema.get("properties", {})
    for name, value in arguments.items():
        wanted = properties.get(name, {})
        if isinstance(value, list) and wanted.get("type") == "array":
            items = wanted.get("items", {})
            for each in value:
                if not isinstance(each, dict) or not _needs_nothing(each, items):
                    return False
        elif wanted.get("type") != "string" or "enum" in wanted or not isinstance(value, str):
            return False
    return set(schema.get("required", ())) <= arguments.keys()


def _unwrapped(arguments: dict[str, Any], schema: Schema, notes: list[str]) -> dict[str, Any]:
    """Take the arguments out of a single object around them, and make a list of one object whose fields are beside the
    other arguments."""
    properties: Schema = schema.get("properties", {})
    if len(arguments) == 1:
        ((name, value),) = arguments.items()
        inner = _almost_json(value) if isinstance(value, str) else value
        if name not in properties and isinstance(inner, dict) and any(each in properties for each in inner):
            notes.append(f"the arguments were inside `{name}`; send them without it")
            return inner
    for name in schema.get("required", ()):
        items = properties[name].get("items", {})
        if name in arguments or properties[name].get("type") != "array" or items.get("type") != "object":
            continue
        fields = items.get("properties", {})
        loose = {each: value for each, value in arguments.items() if each not in properties}
        names = {each: each for each in loose if each in fields} | _new_names(loose, items)
        if items.get("required") and set(items["required"]) <= set(names.values()):
            notes.append(f"`{name}` was missing; send a list of objects with {_listed(items['required'])}")
            one = {names[each]: value for each, value in loose.items() if each in names}
            return {each: value for each, value in arguments.items() if each not in names} | {name: [one]}
    return arguments


def _object(arguments: Mapping[str, Any], schema: Schema, where: str, notes: list[str]) -> dict[str, Any]:
    properties: Schema = schema.get("properties", {})
    left_out = {name for name, value in arguments.items() if value is None and _is_optional(name, schema)}
    arguments = {name: value for name, value in arguments.items() if name not in left_out}
    found: dict[str, Any] = {}
    in_json_file = any(isinstance(value, str) and value.endswith(".json") for value in arguments.values())
    names = _new_names(arguments, schema)
    notes += [f"`{where}{name}` was taken for `{parameter}`" for name, parameter in names.items()]
    for name, value in ((names.get(each, each), value) for each, value in arguments.items()):
        if name not in properties:
            found[name] = value
            continue
        if _is_optional(name, schema) and _is_no_value(value, properties[name]):
            notes.append(f"`{where}{name}` was {json.dumps(value)}; leave it out for its default")
            continue
        if in_json_file and isinstance(value, dict | list) and properties[name].get("type") == "string":
            value = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
            notes.append(f"`{where}{name}` was not text; its JSON was taken, with an indentation of two blanks")
        found[name] = _value(value, properties[name], f"{where}{name}", notes)
    return found


def _new_names(arguments: Mapping[str, Any], schema: Schema) -> dict[str, str]:
    """Return the missing parameter for each unknown argument that is the only one to mean it."""
    properties: Schema = schema.get("properties", {})
    unknown = [name for name in arguments if name not in properties]
    missing = [name for name in properties if name not in arguments]
    meant_by = {name: _parameter(name, missing, schema) for name in unknown} if missing else {}
    found = list(meant_by.values())
    return {name: parameter for name, parameter in meant_by.items() if parameter and found.count(parameter) == 1}


def _parameter(name: str, missing: Sequence[str], schema: Schema) -> str:
    """Return the missing parameter that a name means; a required parameter comes first."""
    plain, others = folded(name), {each: folded(each) for each in missing}
    same = [each for each in missing if others[each] == plain]
    means = _MEANINGS.get(plain, set())
    like = [each for each in missing if means & _MEANINGS.get(others[each], set())]
    needed = [each for each in like if each in schema.get("required", ())]
    found = same or needed or like
    return found[0] if len(found) == 1 else nearest(name, missing) if not found else ""


def _value(value: Any, schema: Schema, where: str, notes: list[str]) -> Any:
    """Return a value in the shape of its schema."""
    kind = schema.get("type")
    if not isinstance(kind, str) or (kind in _CONVERSIONS and _has_kind(value, kind)):
        if kind == "array" and isinstance(value, list):
            item = schema.get("items", {})
            return [_value(each, item, f"{where}[{number}]", notes) for number, each in enumerate(value)]
        if kind == "object" and isinstance(value, dict) and "properties" in schema:
            return _object(value, schema, f"{where}.", notes)
        if kind == "string" and schema.get("enum") and value not in schema["enum"]:
            return _chosen(value, schema["enum"], where, notes)
        return value
    convert = _CONVERSIONS.get(kind)
    made = None if convert is None or value is None else convert(value, schema)
    if made is None:
        return value
    notes.append(f"`{where}` was {_kind(value)}; send {_NAMES[kind]}")
    return _value(made, schema, where, notes) if _has_kind(made, kind) else value


def _chosen(value: str, choices: Sequence[Any], where: str, notes: list[str]) -> Any:
    found = [each for each in choices if isinstance(each, str) and folded(each) == folded(value)]
    if len(found) != 1:
        return value
    notes.append(f'`{where}` was "{value[:60]}"; send "{found[0]}"')
    return found[0]


def _to_list(value: Any, schema: Schema) -> Any:
    item = schema.get("items", {}).get("type")
    if isinstance(value, str):
        read = _almost_json(value)
        if isinstance(read, list | dict):
            value = read
    if isinstance(value, list):
        return value
    fits = isinstance(item, str) and _has_kind(value, item)
    return [value] if fits and (isinstance(value, dict) or not _looks_like_json(value)) else None


def _to_object(value: Any, schema: Schema) -> Any:
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    return _almost_json(value) if isinstance(value, str) else None


def _to_text(value: Any, schema: Schema) -> Any:
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        if len(value) == 1 or (len(value) == 3 and re.fullmatch(_SHELL, " ".join(value[:2]))):
            return value[-1]
        return None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _to_number(value: Any, schema: Schema) -> Any:
    if isinstance(value, list) and len(value) == 1 and _has_kind(value[0], "number"):
        return value[0]
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    if not number.is_integer():
        return number if schema.get("type") == "number" and number - number == 0 else None
    return int(number)


def _to_truth(value: Any, schema: Schema) -> Any:
    if isinstance(value, str):
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(value.lower())
    return {0: False, 1: True}.get(value) if isinstance(value, int) else None


_CONVERSIONS: dict[str, Callable[[Any, Schema], Any]] = {
    "array": _to_list,
    "object": _to_object,
    "string": _to_text,
    "integer": _to_number,
    "number": _to_number,
    "boolean": _to_truth,
}
_KINDS: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "object": (dict,),
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
}
_NAMES = {
    "array": "a list",
    "object": "an object",
    "string": "text",
    "integer": "a number",
    "number": "a number",
    "boolean": "true or false",
}


def _has_kind(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS.get(kind, ())) and (kind == "boolean" or not isinstance(value, bool))


def _kind(value: Any) -> str:
    if isinstance(value, str) and _looks_like_json(value):
        return "JSON in a text"
    return next((_NAMES[kind] for kind in ("boolean", *_KINDS) if _has_kind(value, kind)), "null")


def _is_optional(name: str, schema: Schema) -> bool:
    """Whether a parameter may be left out, and cannot be null."""
    known = name in schema.get("properties", {}) and name not in schema.get("required", ())
    return known and isinstance(schema["properties"][name].get("type"), str)


def _is_no_value(value: Any, schema: Schema) -> bool:
    """Whether a text stands for no value where no text can be."""
    return isinstance(value, str) and schema.get("type") in _KINDS and schema["type"] != "string" and (
        value.strip().lower() in _NOTHING
    )  # fmt: skip


def _looks_like_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{", '"')


def _almost_json(text: str) -> Any:
    """Return the value of a text that is JSON, or is but for its line breaks, a Markdown fence or Python's quotes; None
    for any other."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text[3:-3].removeprefix("json").strip()
    try:
        return _loads(text, strict=False)
    except ValueError:
        pass
    if not text.startswith(("{", "[")) or len(text) > _LONGEST:
        return None
    import ast  # noqa: PLC0415  only a wrong call needs it

    try:
        value = ast.literal_eval(text)
        json.dumps(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value


def _loads(text: str, *, strict: bool = True) -> Any:
    try:
        return json.loads(text) if strict else json.loads(text, strict=False)  # an argument makes a decoder each time
    except RecursionError as error:
        raise ValueError("the arguments are nested too deeply") from error


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
