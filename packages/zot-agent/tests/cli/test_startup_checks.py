import json
from pathlib import Path

import pytest

from zot_agent.cli.startup_checks import check_options, missing_extra
from zot_agent.host.options import HostOptions
from zot_provider.errors import ConfigError


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (HostOptions(tools=["raed"]), "raed"),
        (HostOptions(provider="opnai"), "did you mean openai"),
        (HostOptions(provider="openai", api_key="k", base_url="nonsense"), "nonsense"),
    ],
)
async def test_options_with_which_no_session_could_start_are_refused(options: HostOptions, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        await check_options(options)
    assert words in str(caught.value)


async def test_a_missing_key_is_accepted_because_it_may_come_later() -> None:
    await check_options(HostOptions(provider="anthropic"))


async def test_a_named_extension_with_an_invalid_manifest_is_an_error(alone: Path) -> None:
    (alone / "extension.json").write_text(json.dumps({"name": "x"}))
    with pytest.raises(ConfigError, match=f"^--ext {alone}: "):
        await check_options(HostOptions(extensions=[str(alone)]))


def test_a_missing_extra_says_how_to_install_it() -> None:
    assert "uv tool install 'zot-agent[serve]'" in str(missing_extra("serve"))
