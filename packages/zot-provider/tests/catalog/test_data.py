import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest

import zot_provider.catalog
from zot_provider.model import Model, Price
from zot_provider.providers import PROVIDERS

FILES = sorted((Path(zot_provider.catalog.__file__).parent / "data").iterdir())


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def file(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def models(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text(encoding="utf-8"))["models"]


def test_there_is_one_file_for_each_catalogue_a_provider_names() -> None:
    assert [file.name for file in FILES] == sorted(
        {f"{provider.catalog}.json" for provider in PROVIDERS if provider.catalog}
    )


def test_a_file_says_where_it_comes_from_and_when(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    assert list(data) == ["source", "date", "models"]
    assert data["source"]
    assert datetime.date.fromisoformat(data["date"]) > datetime.date(2025, 1, 1)


def test_a_file_is_small(file: Path) -> None:
    assert file.stat().st_size < 20_000


def test_ids_are_unique_and_sorted(models: list[dict[str, Any]]) -> None:
    ids = [model["id"] for model in models]
    assert ids == sorted(set(ids))


def test_a_row_has_the_fields_of_a_model_without_the_provider(models: list[dict[str, Any]]) -> None:
    fields = {name for name in Model.__match_args__ if name not in ("provider", "wire", "base_url")}
    assert all(set(model) == fields for model in models)


def test_names_are_words_and_abilities_are_flags(models: list[dict[str, Any]]) -> None:
    for model in models:
        assert model["name"].strip() == model["name"] != ""
        assert type(model["reasoning"]) is bool
        assert type(model["images"]) is bool


def test_limits_are_whole_tokens(models: list[dict[str, Any]]) -> None:
    for model in models:
        assert type(model["context_window"]) is int
        assert type(model["max_output"]) is int
        assert 0 < model["max_output"] <= model["context_window"]


def test_prices_are_complete_finite_and_not_negative(models: list[dict[str, Any]]) -> None:
    for price in [model["price"] for model in models if model["price"] is not None]:
        assert list(price) == list(Price.__match_args__)
        assert all(type(dollars) is float and math.isfinite(dollars) and dollars >= 0 for dollars in price.values())


def test_reading_from_the_cache_is_never_dearer_than_input(models: list[dict[str, Any]]) -> None:
    for price in [model["price"] for model in models if model["price"] is not None]:
        assert price["cache_read"] <= price["input"]
