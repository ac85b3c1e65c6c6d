"""The operations on models: which there are, and which one answers. `model.complete` is a call of extensions only."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, cast

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.operation import operation
from zot_agent.verbs.hosts import host_of
from zot_core.event_json import model_fields
from zot_core.printable import NAME_LENGTH
from zot_core.runtime import resolve
from zot_provider.errors import ZotError
from zot_provider.model import Model
from zot_provider.registry import Ask, Which
from zot_provider.request import Reasoning
from zot_provider.wire.reasoning import nearest_level

if TYPE_CHECKING:
    from zot_ext.protocol.answers import ModelInfo, ModelList, ModelState

Name: TypeAlias = Annotated[str, NAME_LENGTH]
ModelScope: TypeAlias = Literal[Which, "favourites"]
Level: TypeAlias = Literal[Reasoning, "maximum"]

_ASKED: dict[Which, Ask] = {"current": "unlisted", "ready": "stale", "all": "never"}
"""Which servers are asked for their lists."""


@operation("model.list", alias="get_models", group="model", scope="watch")
async def list_models(caller: OperationCaller, *, scope: ModelScope = "current") -> "ModelList":
    """List models.

    scope: `current` (the default): models of the provider in use. `ready`: models of providers with a key and of local
        servers, the current provider's first; servers whose lists are old are asked. `favourites`: the person's
        favourites that can be used, in their order. `all`: all that are known without a request to a server.
    """
    if scope == "favourites":
        return _listed(_favourites(caller))
    return _listed((await caller.conversation.runtime.list_models(scope, ask=_ASKED[scope])).models)


def _listed(models: Iterable[Model]) -> "ModelList":
    return {"models": [cast("ModelInfo", model_fields(each)) for each in models]}


def _favourites(caller: OperationCaller) -> Iterator[Model]:
    agent, extension = caller.conversation.runtime.agent, caller.extension
    for name in host_of(caller).settings.favourite_models if extension is None else extension.services.favourites():
        with suppress(ZotError):
            yield resolve.other_model(agent.client, agent.model, name, "")[0]


@operation("model.get", group="model", scope="watch")
def get(caller: OperationCaller) -> "ModelState":
    """Describe the model."""
    return _state(caller)


@operation("model.set", alias="set_model", group="model", scope="drive")
def set_model(caller: OperationCaller, model: Name, *, provider: Name = "") -> "ModelState":
    """Continue with another model, of any provider with a key. Refused while busy, and without a key: the error names
    the variable to set.

    model: A model's id, the beginning of one, or PROVIDER/ID; a reasoning level may follow, as for `--model`.
    provider: The provider, if it is not part of `model`.
    """
    caller.conversation.set_model(model, provider=provider)
    return _state(caller)


@operation("model.reasoning", alias="set_reasoning", group="model", scope="drive")
def reasoning(caller: OperationCaller, reasoning: Level) -> "ModelState":
    """Set how much the model thinks. Refused while busy.

    reasoning: `off`, `minimum`, `low`, `medium`, `high`, `xhigh` or `max`; the nearest that the model has is used.
    """
    caller.conversation.set_reasoning("max" if reasoning == "maximum" else reasoning)
    return _state(caller)


def _state(caller: OperationCaller) -> "ModelState":
    agent = caller.conversation.runtime.agent
    return {
        "provider": agent.model.provider,
        "model": agent.model.id,
        "reasoning": agent.reasoning,
        "reasoning_used": nearest_level(agent.model, agent.reasoning),
        "context_window": agent.model.context_window,
    }
