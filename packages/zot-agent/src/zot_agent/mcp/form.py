"""A form of a server (elicitation) as a form of zot, and what the person filled in as the server wants it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

FORMATS = {
    "email": ("an e-mail address", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    "uri": ("an address, such as https://example.com", re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")),
    "date": ("a date, such as 2026-11-28", re.compile(r"\d{4}-\d\d-\d\d")),
    "date-time": ("a time, such as 2026-11-28T18:30:00Z", re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d.*")),
}
"""The formats of the specification: in words, and how they look."""


def form_field(name: str, schema: Mapping[str, Any], required: Collection[str]) -> dict[str, Any]:
    """Return the field of a form for a property; a list is written with commas."""
    kind = {"integer": "integer", "number": "number", "boolean": "boolean"}.get(str(schema.get("type")), "text")
    titles = list(choices_of(schema))
    described = [str(schema.get(each) or "") for each in ("title", "description")]
    if schema.get("type") == "array":
        options = ", ".join(choices_of(_items(schema)))
        described.append(f"any of {options}, with commas between them" if options else "with commas between them")
        titles = []
    described.append(limits_of(schema))
    default = schema.get("default")
    shown = {_key(value): title for title, value in choices_of(schema).items()}
    if isinstance(default, list):
        shown_items = {_key(value): title for title, value in choices_of(_items(schema)).items()}
        default = ", ".join(shown_items.get(_key(each), str(each)) for each in default)
    found: dict[str, Any] = {
        "name": name,
        "kind": "select" if titles else kind,
        "required": name in required,
        "description": ": ".join(filter(None, described)),
    }
    if titles:
        found["choices"] = titles
    if default is not None:
        found["initial"] = shown.get(_key(default), str(default).lower() if isinstance(default, bool) else str(default))
    return found


def choices_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an enumeration, in any of the forms of the specification, by what the person sees."""
    values, titles = schema.get("enum"), schema.get("enumNames")
    if isinstance(values, list):
        known = titles if isinstance(titles, list) and len(titles) == len(values) else values
        pairs = [(str(title), value) for title, value in zip(known, values, strict=True)]
    else:
        titled = schema.get("oneOf") or schema.get("anyOf") or []
        listed = titled if isinstance(titled, list) else []
        pairs = [
            (str(each.get("title") or each["const"]), each["const"])
            for each in listed
            if isinstance(each, dict) and "const" in each
        ]
    seen = [title for title, _ in pairs]
    return {f"{title} ({value})" if seen.count(title) > 1 else title: value for title, value in pairs}


def limits_of(schema: Mapping[str, Any]) -> str:
    """Return what a value must look like, in words."""
    format = str(schema.get("format"))
    unit = " characters" if schema.get("type") == "string" else " of them" if schema.get("type") == "array" else ""
    least, most = (_number(schema, *names) for names in (_LEAST, _MOST))
    parts = [FORMATS[format][0]] if format in FORMATS else []
    if least is not None and most is not None:
        parts.append(f"{least:g} to {most:g}{unit}")
    elif least is not None or most is not None:
        parts.append(f"{least:g}{unit} at least" if most is None else f"{most:g}{unit} at most")
    return ", ".join(parts)


def form_value(schema: Mapping[str, Any], value: Any) -> Any:
    """Return the value of a field as the server wants it. Raises `ValueError` with what it must look like."""
    if schema.get("type") == "array" and isinstance(value, str):
        given = [each.strip() for each in value.split(",") if each.strip()]
        options = choices_of(_items(schema))
        known = {str(each): each for each in options.values()} | options
        if options and (odd := [each for each in given if each not in known]):
            raise ValueError(f"{', '.join(odd)}: not one of {', '.join(options)}")
        value = [known.get(each, each) for each in given]
    elif options := choices_of(schema):
        value = options.get(str(value), value)
    size = value if isinstance(value, int | float) else len(value) if isinstance(value, str | list) else 0
    least, most = (_number(schema, *names) for names in (_LEAST, _MOST))
    if not isinstance(value, bool) and ((least is not None and size < least) or (most is not None and size > most)):
        raise ValueError(limits_of(schema))
    if isinstance(value, str) and not _has_format(value, str(schema.get("format"))):
        raise ValueError(limits_of(schema))
    return value


_LEAST, _MOST = ("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems")


def _has_format(text: str, format: str) -> bool:
    if format not in FORMATS:
        return True
    if not FORMATS[format][1].fullmatch(text):
        return False
    try:
        if format == "date":
            date.fromisoformat(text)
        elif format == "date-time":
            datetime.fromisoformat(text.upper().replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _items(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    items = schema.get("items")
    return items if isinstance(items, dict) else {}


def _number(schema: Mapping[str, Any], *names: str) -> float | None:
    found = [schema[name] for name in names if isinstance(schema.get(name), int | float)]
    return found[0] if found else None


def _key(value: Any) -> str:
    return repr(value)
