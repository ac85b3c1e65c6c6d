"""The providers and their models."""

from zot_provider.registry.model_registry import LIST_LIMIT, Ask, Fetch, Listing, ModelRegistry, Which
from zot_provider.registry.provider_table import Endpoint

__all__ = ["LIST_LIMIT", "Ask", "Endpoint", "Fetch", "Listing", "ModelRegistry", "Which"]
