"""The images in the parameters of calls."""

from typing import Any

from zot_agent.extensions.calls.call import CallFailed
from zot_provider.messages import ImageBlock


def read_images(given: Any, name: str) -> list[ImageBlock]:
    """Return the images of `[{"data": base64}]`, None for none. The bytes decide the type. Raises `CallFailed`, which
    names the field, and `ConfigError` for what is no image."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise CallFailed("invalid", f"{name} must be a list")
    if not given:
        return []
    from zot_core.images import image_from_base64  # noqa: PLC0415  few calls have images

    found = []
    for at, each in enumerate(given):
        data = each.get("data") if isinstance(each, dict) else None
        if not isinstance(data, str):
            raise CallFailed("invalid", f"{name}[{at}] must be an object with data, a string")
        found.append(image_from_base64(data, f"{name}[{at}].data"))
    return found
