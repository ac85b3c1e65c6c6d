#!/usr/bin/env python3
"""A tool of the model: the annotations are its schema, the docstring its description."""

from typing import Literal

from zot_ext import Extension, Response, prompt

ext = Extension("weather", "1.0.0")

# A real extension would ask a service here; these are made up.
SKIES = {"berlin": (16, "fog"), "lima": (22, "sun"), "oslo": (3, "snow")}


@ext.tool
def weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> str:
    """Current weather for a city.

    Args:
        city: the name alone, without the country
        unit: of the temperature
    """
    if city.lower() not in SKIES:
        raise LookupError(f"no weather for {city!r}; there is some for {', '.join(sorted(SKIES))}")
    degrees, sky = SKIES[city.lower()]
    shown = f"{degrees}°C" if unit == "celsius" else f"{degrees * 9 / 5 + 32:.0f}°F"
    return f"{city}: {shown}, {sky}"


@ext.command("weather", "ask the agent about the weather of a city")
def ask(city: str) -> Response:
    return prompt(f"Show today's weather for {city or 'Berlin'} in one line.")


ext.run()
