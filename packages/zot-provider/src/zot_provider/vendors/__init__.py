"""The registry of vendors. To add one: a file with its record beside this one, and a line in `VENDORS`."""

from zot_provider.errors import UnknownName
from zot_provider.vendors import anthropic, local, ollama, openai, openai_responses
from zot_provider.vendors.spec import Vendor

VENDORS: tuple[Vendor, ...] = (
    anthropic.VENDOR,
    openai.VENDOR,
    openai_responses.VENDOR,
    ollama.VENDOR,
    local.VENDOR,
)


def find_vendor(id: str) -> Vendor:
    """The vendor with this id; raises `UnknownName` with the nearest ids if there is none."""
    for vendor in VENDORS:
        if vendor.id == id:
            return vendor
    raise UnknownName.among("vendor", id, [vendor.id for vendor in VENDORS])
