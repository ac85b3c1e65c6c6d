import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest

import zot_provider.catalog
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider

FILES = sorted((Path(zot_provider.catalog.__file__).parent / "data").iterdir())


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def file(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def models(file: Path) -> list[dict[str, Any]]:
    return models_of(file)


def models_of(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text(encoding="utf-8"))["models"]


def test_each_catalogue_that_a_provider_names_has_a_file() -> None:
    assert {f"{provider.catalog}.json" for provider in PROVIDERS if provider.catalog} <= {file.name for file in FILES}


def test_all_files_together_are_small() -> None:
    assert sum(file.stat().st_size for file in FILES) < 400_000


def test_a_file_says_where_it_comes_from_and_when(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    assert list(data) == ["source", "date", "complete", "models"]
    assert data["source"]
    assert datetime.date.fromisoformat(data["date"]) > datetime.date(2025, 1, 1)


def test_ids_are_unique_and_sorted(models: list[dict[str, Any]]) -> None:
    ids = [model["id"] for model in models]
    assert ids == sorted(set(ids))


def test_a_row_has_the_known_fields_of_a_model_without_the_provider(models: list[dict[str, Any]]) -> None:
    assert models != []
    for model in models:
        assert set(model) <= {"id", "name", "context_window", "max_output", "reasoning", "images", "price", "retires"}
        assert all(model.values())  # what is false, empty or unknown is left out
        assert model.get("name", "a").strip() == model.get("name", "a")
        assert model.get("reasoning", True) is model.get("images", True) is True


def test_limits_are_whole_tokens(models: list[dict[str, Any]]) -> None:
    assert models != []
    for model in models:
        assert type(model["context_window"]) is type(model.get("max_output", 1)) is int
        assert 0 < model.get("max_output", 1) <= model["context_window"]


def test_prices_are_complete_finite_and_not_negative() -> None:
    prices = [model["price"] for file in FILES for model in models_of(file) if "price" in model]
    assert prices != []
    for price in prices:
        amounts = [price["tokens"], *(tier[1:] for tier in price.get("tiers", []))]
        for dollars in amounts:
            assert len(dollars) == 4
            assert all(math.isfinite(amount) and 0 <= amount < 1000 for amount in dollars)


def test_longer_requests_cost_more(models: list[dict[str, Any]]) -> None:
    assert models != []
    for model in models:
        tiers = [[0, *model["price"]["tokens"]], *model["price"].get("tiers", [])] if "price" in model else []
        assert tiers == sorted(tiers)


def test_no_model_has_retired_before_the_date_of_the_catalogue(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    assert [model["id"] for model in data["models"] if model.get("retires", "9") <= data["date"]] == []


@pytest.mark.parametrize("provider", [each for each in PROVIDERS if each.catalog], ids=lambda provider: provider.id)
def test_no_default_model_retires_within_ninety_days(provider: Provider) -> None:
    file = next(file for file in FILES if file.stem == provider.catalog)
    data = json.loads(file.read_text(encoding="utf-8"))
    ends = {model["id"]: model.get("retires") for model in data["models"]}.get(provider.default_model) or "9999-01-01"
    last = datetime.date.fromisoformat(data["date"]) + datetime.timedelta(days=90)
    assert datetime.date.fromisoformat(ends) > last
