"""What a `Runtime` says of itself, and what it takes to change it: another model, other tools, a new file."""

import os
from collections.abc import Iterable, Mapping, Sequence

from zot_core.clock import timestamp
from zot_core.hooks import Hooks
from zot_core.sessions.file import SessionFile
from zot_core.sessions.recorder import record_session
from zot_core.sessions.rows import Meta
from zot_core.sessions.stored import StoredMessage
from zot_core.tools.base import Tool
from zot_core.tools.names import several
from zot_provider.catalog import find_model, list_models, resolve_model
from zot_provider.client import Client, HttpClient
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.record import Record, record
from zot_provider.request import Reasoning
from zot_provider.usage import Usage
from zot_provider.vendors import VENDORS
from zot_provider.vendors.spec import Vendor

CLEARED = "cleared"
"""In the `meta` of a message without content: the compaction that says that a conversation begins anew."""


class OtherVendor(ConfigError):
    """A model of another vendor than the one whose client is at hand; `vendor` is its id."""

    def __init__(self, name: str, vendor: str, own: str) -> None:
        super().__init__(f"{name!r} is a model of {vendor}, not of {own}: start again with provider {vendor}")
        self.vendor = vendor


@record
class State(Record):
    """A snapshot of a runtime. `model` is empty while only the server knows its models, `session_id` without a session
    file; `queued` messages wait in the inbox."""

    provider: str
    model: str
    cwd: str
    message_count: int
    busy: bool
    usage: Usage
    reasoning: Reasoning
    session_id: str
    queued: int


def named_model(client: Client, current: Model, name: str) -> Model:
    """The model of the current vendor that a person means by `name`, which may begin with the vendor's id and a slash.

    A name that no catalogue has is taken as it is: the catalogue may be older than the model. Where the current model
    is one of those, the server has names of its own and only exact ids are looked up. Raises `ConfigError` for an
    empty name, and `OtherVendor`, since another vendor has another client and another key.
    """
    vendor = client.vendor if isinstance(client, HttpClient) else None
    own = current.vendor if vendor is None else vendor.id
    head, slash, rest = name.strip().partition("/")
    name = rest if slash and head == own else name.strip()
    if not name:
        raise ConfigError("the model's name is empty")
    if vendor is None:
        return current if name == current.id else Model(name, own, reasoning=True)
    found = find_model(vendor, name)
    if found is not None:
        return found
    listed = _knows_names(client, current)
    other = _other_vendor(vendor, name, sure=listed and not any("/" in each.id for each in list_models(vendor)))
    if other is not None:
        raise OtherVendor(name, other.id, own)
    return resolve_model(vendor, name, strict=False) if listed else Model(name, own, reasoning=True)


def _other_vendor(own: Vendor, name: str, *, sure: bool) -> Vendor | None:
    """The vendor that a name speaks of, if it is not `own`. Servers may have models called `openai/gpt-oss`: unless one
    is `sure` that names with a slash begin with a vendor, that vendor must have the model."""
    head, slash, rest = name.partition("/")
    for each in VENDORS:
        named = slash and each.id == head and (sure or find_model(each, rest))
        if each.id != own.id and (named or (sure and find_model(each, name))):
            return each
    return None


def _knows_names(client: Client, current: Model) -> bool:
    """Whether the vendor's catalogue says what the server is called by: not where somebody's own server answers."""
    return isinstance(client, HttpClient) and (not current.id or find_model(client.vendor, current.id) is not None)


async def models_of(client: Client, current: Model) -> list[Model]:
    """The models known for a client: its vendor's catalogue, or what the server lists where that says more; the current
    one in any case. Raises `ProviderError`."""
    found: list[Model] = []
    if isinstance(client, HttpClient):
        vendor = client.vendor
        found = list_models(vendor)
        if not found or not _knows_names(client, current):
            found = [find_model(vendor, id) or Model(id, vendor.id) for id in await client.models()]
    if current.id and all(model.id != current.id for model in found):
        found = [current, *found]
    return found


def chosen_tools(known: Mapping[str, Tool], present: Mapping[str, Tool], names: Iterable[str]) -> dict[str, Tool]:
    """The tools called `names`, and those of `present` that are not among the `known`: others have put them there.

    Raises `ConfigError`.
    """
    kept = {name: tool for name, tool in present.items() if known.get(name) is not tool}
    chosen: dict[str, Tool] = {}
    for name in several(names):
        if name in known:
            chosen[name] = known[name]
        elif name not in kept:
            raise UnknownName.among("tool", name, [*known, *kept])
    return kept | chosen


class Recording:
    """Has the session file told of what an agent does. Its points are its own: another file can take the place."""

    def __init__(self, hooks: Hooks, session: SessionFile) -> None:
        self._session, self._hooks = session, Hooks()
        record_session(self._hooks, session)
        hooks.message.add(lambda message: self._hooks.message.tell(message))
        hooks.compacted.add(lambda compacted: self._hooks.compacted.tell(compacted))
        hooks.event.add(lambda event: self._hooks.event.tell(event))

    def begin_anew(self, model: Model) -> SessionFile:
        """Close the file and record into a new one beside it, which comes into being with the first message."""
        import uuid  # noqa: PLC0415  few agents begin a second session

        old, identity, started = self._session.meta, str(uuid.uuid4()), timestamp()
        stamp = started[:19].replace("-", "").replace(":", "").replace("T", "-")
        path = os.path.join(os.path.dirname(self._session.path), f"{stamp}-{identity[:8]}.jsonl")
        self._session.close()
        meta = Meta(identity, old.cwd, model.id, model.vendor, started, old.version)
        self._session = SessionFile(path, meta, advice=self._session.advice)
        self._hooks = Hooks()
        record_session(self._hooks, self._session)
        return self._session


def clear_session(session: SessionFile) -> None:
    """Write that the conversation begins anew: a compaction to a message without content. Raises `SessionError`."""
    session.compact(Message("user", [], timestamp(), {CLEARED: "true"}), 0)


def without_cleared(messages: Iterable[Message]) -> Sequence[Message]:
    """The messages without the one that `clear_session` has put in a file."""
    return [
        message
        for message in messages
        if isinstance(message, StoredMessage) or message.content or CLEARED not in message.meta
    ]
