"""Writes docs/generated/ and docs/providers.md from the registries; with `--check` says which are not current.

`make generate` writes them, `make quick` checks them.
"""

import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ["COLUMNS"] = "100"  # argparse wraps its help to the terminal: the page must not depend on one

import answer_schema
import generate_frames
import generate_rpc_schema

from zot_agent.cli.args import build_parser, list_commands
from zot_agent.config.settings import SETTINGS
from zot_agent.extensions.calls.open_calls import handler
from zot_agent.modes import MODES
from zot_agent.operations.registry import find
from zot_agent.rpc.limits import RpcLimits
from zot_agent.ui.bindings import CHAT_ACTIONS
from zot_agent.ui.commands import slash_commands
from zot_core import events
from zot_core.tools import BUILTIN_TOOLS, agent_tool
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.calls import CALLS
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.events.observable import OBSERVABLE
from zot_ext.protocol.events.questions import QUESTIONS
from zot_ext.protocol.fields import LARGEST, CallField
from zot_provider.catalog import list_models
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_tui.keys.key import parse_key
from zot_tui.theme import TOKENS
from zot_tui.theme.tokens import BY_NAME
from zot_tui.widgets.dialogs.dialog import DIALOG_ACTIONS, LIST_ACTIONS
from zot_tui.widgets.input.editor import EDITOR_ACTIONS

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "generated"


def first_line(text: str | None) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = (text or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split())


def first_sentence(text: str) -> str:
    """The first sentence of a description."""
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0]


def flags() -> str:
    modes = "".join(
        f"| {mode.name} | {' '.join(f'`{flag}`' for flag in mode.flags)} | {mode.help} |\n" for mode in MODES.values()
    )
    commands = "".join(f"| `zot {name}` | {help} |\n" for name, help in list_commands())
    return (
        f"# The command line\n\n```text\n{build_parser().format_help().rstrip()}\n```\n\n"
        f"## Modes\n\n| mode | flags | what it does |\n|---|---|---|\n{modes}\n"
        f"## Commands\n\n| command | what it does |\n|---|---|\n{commands}"
    )


PROVIDERS_PAGE = """# Providers

zot needs one provider: a key in an environment variable, a server on this machine, or any server that speaks one of the
wires below. The first provider of this page that has a key is used unless `--provider`, `--model PROVIDER/ID` or the
[settings](settings.md) name another.

```sh
zot doctor --offline --all
```

- A **key** is given with `--api-key`, read from the first of the variables that is set, or stored by
  `zot auth login`, which also signs in with an account where one is named ([keys and sign-in](sign-in.md)).
- An **address** of your own is given with `--base-url` or the variable named below, as for the provider's own SDK. An
  address that has a part in braces needs the variable of that part.
- Several **wires** mean that the model decides; the first one is for all models that no rule names.
- **Other names** may be written for `--provider`, in PROVIDER/ID, in the settings and in `models.json`.
- Any other server is added in [`models.json`](settings.md#modelsjson).

## Certificates

Over https zot trusts the authorities in the file of `ca_file` ([settings](settings.md)) or `SSL_CERT_FILE`, else in the
folder `SSL_CERT_DIR`, else the authorities of the system, else, where that has none, of certifi. So a company's
proxy that signs TLS again works once the system trusts its authority. Debian and Ubuntu take the file of one as
`/usr/local/share/ca-certificates/NAME.crt`, then run `update-ca-certificates`; Fedora takes it in
`/etc/pki/ca-trust/source/anchors`, then run `update-ca-trust`. On macOS zot reads files and not the keychain: write
what `security find-certificate -a -p` prints and `/etc/ssl/cert.pem` to one file, for `ca_file`.

## All of them

"""


def providers() -> str:
    rows = ""
    for provider in PROVIDERS:
        keys = " ".join(f"`{name}`" for name in provider.key_env) or ("–" if provider.account else "none")
        keys += " (optional)" if provider.key_env and provider.keyless else ""
        default = f"`{provider.default_model}`" if provider.default_model else "the server's first"
        wires = ", ".join(dict.fromkeys([provider.wire, *(each.wire for each in provider.routes if each.wire)]))
        account = provider.sign_in.title if provider.sign_in else "–"
        notes = provider_notes(provider)
        rows += f"| `{provider.id}` | {provider.title} | {keys} | {account} | {wires} | {default} | {notes} |\n"
    return (
        f"{PROVIDERS_PAGE}| `--provider` | provider | key | sign-in | wires | default model | notes |\n"
        f"|---|---|---|---|---|---|---|\n{rows}"
    )


def provider_notes(provider: Provider) -> str:
    """The address of a provider, its variables and other names, and what else is to know."""
    notes = [provider.base_url or "the address is given with `--base-url`"]
    if provider.base_url_env:
        notes.append("address in " + " ".join(f"`{name}`" for name in provider.base_url_env))
    notes += [f"{{{each.name}}} in " + " ".join(f"`{name}`" for name in each.env) for each in provider.variables]
    notes += [f"`{name}` of each URL in `{variable}`" for name, variable in provider.query_env]
    if provider.names_env:
        notes.append(f"names of models in `{provider.names_env}` as `id=name,id=name`")
    if provider.aliases:
        notes.append("also " + " ".join(f"`{name}`" for name in provider.aliases))
    if provider.key_of:
        notes.append(f"takes the stored key of `{provider.key_of}`")
    count = len(list_models(provider))
    notes += [f"{count} models are known"] if count else []
    return "; ".join(notes) + (f". {provider.note}" if provider.note else "")


def tools() -> str:
    page = "# Built-in tools\n\nThe description and the arguments of each tool, as the model reads them.\n"
    for tool in sorted((*BUILTIN_TOOLS, agent_tool(())), key=lambda each: each.name):
        page += f"\n## {tool.name}\n\n{tool.description.strip()}\n\n| argument | type | meaning |\n|---|---|---|\n"
        required = tool.schema.get("required", [])
        for name, field in tool.schema.get("properties", {}).items():
            kind = field.get("type") or " or ".join(str(each.get("type")) for each in field.get("anyOf", []))
            page += (
                f"| `{name}`{'' if name in required else ' (optional)'} | {kind} | {field.get('description', '')} |\n"
            )
    return page


def event_page() -> str:
    rows = "".join(
        f"| `{event.type}` | `{event.__name__}` | {', '.join(f'`{name}`' for name in event.__match_args__) or '–'} "
        f"| {first_line(event.__doc__)} |\n"
        for event in events.AgentEvent.__args__
    )
    order = (events.__doc__ or "").partition("\n\n")[2]
    return (
        f"# Agent events\n\nWhat `zot --json` prints and `Runtime.prompt` yields. {order}\n\n"
        f"| `type` | class of `zot_core.events` | fields | meaning |\n|---|---|---|---|\n{rows}"
    )


def frames() -> str:
    definitions = generate_frames.schema()["$defs"]
    page = (
        "# Extension frames\n\nProtocol version 1: one JSON object a line of UTF-8, `type` first. Fields in bold are "
        "always present; a missing field or `null` is the default. Unknown fields, and frames of unknown types, "
        "are ignored. `frames.schema.json` is the JSON Schema, for other languages; it is in the package "
        "`zot_ext`.\n"
    )
    for title, direction, union in (
        ("Extension to host", "from_extension", "FromExtension"),
        ("Host to extension", "from_host", "FromHost"),
    ):
        page += f"\n## {title}\n\n{definitions[union]['description']}\n"
        for name, definition in definitions.items():
            if name.startswith(f"{direction}."):
                page += f"\n### {name.partition('.')[2]} ({title.lower()})\n\n{definition['description']}\n"
                page += field_rows(definition)
    page += "\n## Values inside frames\n"
    for name in ("TextBlock", "ImageBlock", "PanelSpec"):
        page += f"\n### {name}\n\n{definitions[name]['description']}\n{field_rows(definitions[name])}"
    return page


def host_calls() -> str:
    page = (
        "# Calls of extensions\n\nWhat `host_call` can ask for: see [extension-calls.md](../extension-calls.md). "
        f"Parameters in bold are needed; unknown ones are ignored. {_USUAL} A frame has at most "
        f"{DEFAULT_LIMITS.frame_bytes >> 20} MiB, with the group `large_frames` "
        f"{DEFAULT_LIMITS.large_frame_bytes >> 20}; a longer call is answered with the code `too_large` if its `id` is "
        "among the first members. A result is an object.\n"
    )
    results: dict[str, dict[str, Any]] = {}
    for group in dict.fromkeys(method.group for method in CALLS):
        page += f"\n## {group}\n"
        for method in (each for each in CALLS if each.group == group):
            where = " Only in the handler of a slash command or a shortcut." if method.in_command else ""
            page += f"\n### {method.name}\n\n{method.doc}{where} "
            page += (_answer("Result: ", _handler(method.name), results) or "It has no result.") + "\n"
            if method.params:
                page += "\n| parameter | type | meaning |\n|---|---|---|\n"
            for param in method.params:
                name = f"**`{param.name}`**" if param.required else f"`{param.name}`"
                page += f"| {name} | {kind_of(param.schema)} | {param.doc} |\n"
    usage = {"Usage": generate_rpc_schema.USAGE}
    page += "\n## Results\n\nThe types are in `zot_ext.protocol.answers` and `agent_answers`.\n"
    return page + _answers(results | usage)


def _handler(name: str) -> Callable[..., Any]:
    """The function behind a call of extensions."""
    operation = find(name)
    return handler(name) if operation is None else operation.handler


def _answer(words: str, handler: Callable[..., Any], found: dict[str, dict[str, Any]]) -> str:
    """A link to the description of what a handler returns, which is added to `found`; empty if that is nothing."""
    cls = answer_schema.answer_class(handler)
    if cls is None:
        return ""
    answer_schema.add_definitions(cls, found)
    name = answer_schema.definition_name(cls)
    return f"{words}[{name}](#{name.lower()})."


def _answers(found: dict[str, dict[str, Any]]) -> str:
    page = ""
    for name, each in found.items():
        page += f"\n### {name}\n\n{each['description']}\n\n| field | type |\n|---|---|\n"
        for field, kind in each["properties"].items():
            page += f"| {f'**`{field}`**' if field in each['required'] else f'`{field}`'} | {kind_of(kind)} |\n"
    return page


def extension_events() -> str:
    page = (
        "# Events of extensions\n\nWhat an extension can observe and intercept: see "
        "[extension-events.md](../extension-events.md). Each event is in a group, which `hello.capabilities` names.\n"
        "\n## Observed\n\nThe events of every host, in the group `events`, are in "
        "[extensions.md](../extensions.md#events).\n"
    )
    for row in OBSERVABLE.values():
        page += f"\n### {row.name} ({row.group})\n\n{row.doc}\n{_members(row.members)}"
    page += "\n## Intercepted\n"
    for each in INTERCEPTABLE.values():
        stop = "`block` refuses it." if each.blockable else "It cannot be refused."
        seconds = f"{getattr(DEFAULT_LIMITS, each.limit):g} s"
        page += f"\n### {each.name} ({each.group}), intercepted\n\n{each.doc} {stop} The answer has {seconds}.\n"
        page += _members(each.members)
        if each.answer:
            page += f"\nThe answer:\n{_members(each.answer)}"
    page += (
        "\n## Questions\n\nAsked with `event_intercept` about what an extension has registered, without `subscribe`.\n"
    )
    for asked in QUESTIONS.values():
        seconds = f"{getattr(DEFAULT_LIMITS, asked.limit):g} s"
        page += (
            f"\n### {asked.name} ({asked.group})\n\n{asked.doc} The answer has {seconds}.\n{_members(asked.members)}"
        )
        if asked.answer:
            page += f"\nThe answer:\n{_members(asked.answer)}"
    return page


def _members(params: Sequence[CallField]) -> str:
    if not params:
        return ""
    rows = "".join(f"| `{each.name}` | {each.kind.words} | {each.doc} |\n" for each in params)
    return f"\n| member | type | meaning |\n|---|---|---|\n{rows}"


def rpc() -> str:
    definitions, data = generate_rpc_schema.rpc_schema()["$defs"], dict[str, Any]()
    page = (
        "# Commands and events of zot rpc\n\nOne JSON object a line of UTF-8, in both directions. Fields in bold are "
        "always present; every command may have an `id` of any kind, which the response repeats. New versions add "
        "commands, events and fields: ignore unknown ones. Two files hold the JSON Schema, for other languages: "
        "`rpc.schema.json` of the package `zot_agent.rpc`, and `events.schema.json` of `zot_core`, for the output of "
        "`zot --json`.\n\n"
        f"## Commands\n\n{_USUAL}\n\n| command | fields | what it does |\n|---|---|---|\n"
    )
    for name, method in generate_rpc_schema.COMMANDS.items():
        names = ", ".join(f"`{field.name}`" for field in method.fields)
        page += f"| [`{name}`](#{name.replace('.', '')}) | {names} | {first_sentence(method.doc)} |\n"
    for name, method in generate_rpc_schema.COMMANDS.items():
        also = f" Also called `{method.alias}`." if method.alias else ""
        fields = {each.name: each.schema | {"description": each.doc} for each in method.fields}
        needed = [each.name for each in method.fields if each.required]
        page += f"\n### {name}\n\n{method.doc}{also}\n" + field_rows({"properties": fields, "required": needed})
        page += f"\n{_answer('Data of the response: ', method.handler, data) or 'The response has no data.'}\n"
    page += "\n## Objects in responses\n" + _answers(data)
    for title, union in (
        ("Events", "Event"),
        ("Events of extensions", "ExtensionEvent"),
        ("Events of the session", "SessionEvent"),
    ):
        page += f"\n## {title}\n\n{definitions[union]['description']}\n"
        for reference in definitions[union]["oneOf"]:
            name = reference["$ref"].removeprefix("#/$defs/")
            page += f"\n### {name.partition('.')[2]}\n\n{definitions[name]['description']}\n"
            page += field_rows(definitions[name])
    page += "\n## Objects inside events\n"
    for name in ("Message", "Usage", "Panel", "PlacedPanel"):
        page += f"\n### {name}\n\n{definitions[name]['description']}\n{field_rows(definitions[name])}"
    page += "\n### Block\n\n" + definitions["Block"]["description"] + "\n\n| type | fields |\n|---|---|\n"
    for each in definitions["Block"]["oneOf"]:
        names = ", ".join(f"`{name}`" for name in each["properties"] if name != "type")
        page += f"| `{each['properties']['type']['const']}` | {names} |\n"
    rows = "".join(f"| `{name}` | {getattr(RpcLimits(), name)} |\n" for name in RpcLimits.__match_args__)
    return f"{page}\n## Limits\n\n{inspect.cleandoc(RpcLimits.__doc__ or '')}\n\n| limit | value |\n|---|---|\n{rows}"


def field_rows(definition: dict[str, Any]) -> str:
    """The fields of a frame as a table without its type; empty for a frame without fields."""
    rows = ""
    for name, field in definition["properties"].items():
        if name == "type":
            continue
        kind = kind_of(field)
        shown = f"**`{name}`**" if name in definition["required"] else f"`{name}`"
        rows += f"| {shown} | {kind} | {field.get('description', '–')} |\n"
    return f"\n| field | type | meaning |\n|---|---|---|\n{rows}" if rows else ""


def screen() -> str:
    commands = "".join(
        f"| `{f'/{each.name} {each.arguments}'.strip().replace('|', BAR)}` | {each.help} | {BUSY[each.busy]} |\n"
        for each in slash_commands().values()
    )
    parts = (
        ("The chat", CHAT_ACTIONS, ""),
        ("The editor", EDITOR_ACTIONS, ""),
        ("Dialogs", (*DIALOG_ACTIONS, *LIST_ACTIONS), "These keys cannot be changed.\n\n"),
    )
    keys = "".join(
        f"\n## {title}\n\n{words}| keys | action | |\n|---|---|---|\n"
        + "".join(
            f"| {' '.join(f'`{parse_key(key).label}`' for key in each.keys)} | `{each.name}` | {each.help} |\n"
            for each in actions
        )
        for title, actions, words in parts
    )
    return f"# Commands and keys\n\n## Commands\n\n| command | | while zot works |\n|---|---|---|\n{commands}{keys}"


def settings() -> str:
    rows = "".join(
        f"| `{each.key}` | {each.help} | {each.words} "
        f"| {'' if each.default in ('', [], {}) else f'`{each.show(each.default)}`'} "
        f"| {f'`{each.flag}`' if each.flag else ''} | {f'`{each.variable}`' if each.variable else ''} "
        f"| {'yes' if each.in_project else ''} | {'yes' if each.confines else ''} |\n"
        for each in SETTINGS.values()
    )
    return (
        "# The keys of config.json\n\n| key | meaning | value | default | flag | variable | in a project | confines |\n"
        f"|---|---|---|---|---|---|---|---|\n{rows}"
    )


def themes() -> str:
    rows = "".join(
        f"| `{token.key}` | {f'`{token.background_key}`' if token.background_key else ''} | {token.meaning} "
        f"| {f'`{BY_NAME[token.fallback].key}`' if token.fallback else ''} | {token.contrast:g} |\n"
        for token in TOKENS
    )
    return (
        "# Entries of a theme\n\nAn entry with a dot is in a group: `diff.added` is `added` in the object `diff`. "
        "Contrast is the minimum that zot's own themes keep, measured as in WCAG 2.2.\n\n"
        f"| colour | background | what it is for | falls back on | contrast |\n|---|---|---|---|---|\n{rows}"
    )


BUSY = {"now": "at once", "cancel": "stops it first", "wait": "waits"}
BAR = "\\|"
"""A vertical bar in a table."""


_USUAL = (
    f"A text has at most {LARGEST:,} characters, and a list as many members, unless its type says another number. Null "
    "counts as missing."
)


def kind_of(field: dict[str, Any]) -> str:
    """The type of a field, in words, with its limit unless that is the usual one."""
    most = field.get("maxLength", field.get("maxItems", LARGEST))
    range = f" from {field['minimum']:,} to {field['maximum']:,}" if "maximum" in field else ""
    shape = ", one line" if "pattern" in field else ", not empty" if {"minLength", "minItems"} & field.keys() else ""
    return f"{_type_of(field)}{shape}{range}{f', at most {most:,}' if most != LARGEST else ''}"


def _type_of(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"].rpartition("/")[2])
    if "const" in field or "enum" in field:
        values = field.get("enum") or [field["const"]]
        return ", ".join(f"`{each if isinstance(each, str) else json.dumps(each)}`" for each in values)
    if "oneOf" in field:
        return " or ".join(map(kind_of, field["oneOf"]))
    if field.get("items"):
        return f"list of {kind_of(field['items'])}"
    kinds = field.get("type", "anything")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


GENERATED: dict[str, Callable[[], str]] = {
    "events.md": event_page,
    "flags.md": flags,
    "frames.md": frames,
    "extension-events.md": extension_events,
    "host-calls.md": host_calls,
    "../providers.md": providers,
    "rpc.md": rpc,
    "screen.md": screen,
    "settings.md": settings,
    "themes.md": themes,
    "tools.md": tools,
}


def _from_generated(link: "re.Match[str]") -> str:
    """A link of a docstring, which names pages as if it were in docs/, for a page in docs/generated."""
    return f"]({'../' * (PAGES.parent / link[1]).exists()}{link[1]}"


def main() -> int:
    """Write or check; the exit code."""
    stale = []
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, make in GENERATED.items():
        text = "<!-- Written by scripts/generate_docs.py; change the source, then run `make generate`. -->\n\n" + make()
        path = PAGES / name
        if name[:2] != "..":
            text = re.sub(r"\]\(([\w-]+\.md)", _from_generated, text)
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, "utf-8")
    if "--check" in sys.argv and stale:
        print(f"docs/generated is not current: {', '.join(stale)}; run make generate", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
