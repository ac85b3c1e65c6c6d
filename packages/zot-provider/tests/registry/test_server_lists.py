import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.model import Model, Price, PriceTier, Thinking
from zot_provider.registry import ModelRegistry
from zot_provider.registry.server_lists import MAX_AGE, ServerLists

MODEL = Model(
    "m", "corp", "M", 1000, 100, reasoning=True, images=False,
    price=Price(1.0, 2.0, 0.1, 1.25, tiers=(PriceTier(200, 2.0, 4.0, 0.2, 2.5),)),
    thinking=Thinking("adaptive", ("low", "max"), "lowest", {"off": None}), wire="anthropic-messages",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "models-cache.json"


def test_a_list_is_kept_between_programs_for_the_address_that_was_asked(path: Path) -> None:
    lists = ServerLists(str(path))
    lists.remember("corp", "http://corp/v1", {"m": MODEL, "n": Model("n", "corp")})
    lists.save()
    again = ServerLists(str(path))
    assert again.models("corp", "http://corp/v1") == {"m": MODEL, "n": Model("n", "corp")}
    assert again.models("corp", "http://other/v1") == again.models("rival", "http://corp/v1") == {}
    assert again.fresh("corp", "http://corp/v1")
    assert not again.fresh("corp", "http://other/v1")
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(path.parent) == ["models-cache.json"]
    again.forget("corp")
    assert again.models("corp", "http://corp/v1") == {}


def test_an_old_list_and_one_of_the_future_are_not_fresh(path: Path) -> None:
    lists = ServerLists(str(path))
    lists.remember("corp", "u", {"m": MODEL})
    lists.save()
    value = json.loads(path.read_text())
    for age in (MAX_AGE + 60, -3600.0):
        value["lists"]["corp"]["time"] = time.time() - age
        path.write_text(json.dumps(value))
        again = ServerLists(str(path))
        assert not again.fresh("corp", "u")
        assert again.models("corp", "u") == {"m": MODEL}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 2, "lists": {}}', '{"version": 1}', "\x00" * 100])
def test_a_damaged_file_is_ignored_and_replaced(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    lists = ServerLists(str(path))
    assert lists.models("corp", "u") == {}
    lists.remember("corp", "u", {"m": MODEL})
    lists.save()
    assert ServerLists(str(path)).models("corp", "u") == {"m": MODEL}


def test_a_file_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lists = ServerLists(str(tmp_path / "file" / "models-cache.json"))
    lists.remember("corp", "u", {"m": MODEL})
    lists.save()
    assert lists.models("corp", "u") == {"m": MODEL}


def stored(model: dict[str, Any]) -> str:
    entry = {"address": "u", "time": 0.0, "models": [{"id": "m", "provider": "corp", **model}]}
    return json.dumps({"version": 1, "lists": {"corp": entry}})


FIELDS = st.sampled_from(["id", "provider", "name", "context_window", "price", "thinking", "wire", "later"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["input", "tiers", "words"]), inner),
    max_leaves=5,
)


@given(st.dictionaries(FIELDS, VALUES, max_size=4))
def test_any_kept_model_is_read_or_ignored(tmp_path_factory: pytest.TempPathFactory, model: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("lists") / "models-cache.json"
    path.write_text(stored(model))
    for found in ServerLists(str(path)).models("corp", "u").values():
        assert isinstance(found.id, str)
        assert type(found.context_window) is int


async def test_lists_are_fetched_again_when_they_are_old(path: Path) -> None:
    asked: list[str] = []

    async def fetch(id: str) -> list[str | Model]:
        asked.append(id)
        return [Model("claude-opus-5", id, context_window=77)]

    def registry() -> ModelRegistry:
        return ModelRegistry(environ={"ANTHROPIC_API_KEY": "sk-ant-0123456789"}, lists=ServerLists(str(path)))

    await registry().listing(fetch, which="ready", ask="unlisted")
    assert "anthropic" not in asked
    await registry().listing(fetch, which="ready", ask="stale")
    await registry().listing(fetch, which="ready", ask="stale")
    assert asked.count("anthropic") == 1
    found = registry().find("anthropic", "claude-opus-5")  # what the server says counts more than the catalogue
    assert found is not None
    assert found.context_window == 77
