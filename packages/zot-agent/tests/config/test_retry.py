"""The setting `retry` and its flags, and a run of `zot` that uses them."""

from typing import Any

import pytest

from zot_agent.config.retry import retry_policy
from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_provider.client.retry import UNATTENDED, RetryPolicy
from zot_provider.errors import ConfigError


def test_without_a_setting_the_policy_is_that_of_the_library() -> None:
    assert retry_policy(HostOptions(), Settings()) == RetryPolicy()


@pytest.mark.parametrize("options", [HostOptions(wait=True), HostOptions(run="a task")])
def test_work_that_nobody_waits_for_waits_as_long_as_servers_ask(options: HostOptions) -> None:
    policy = retry_policy(options, Settings())
    assert policy == UNATTENDED
    assert policy.longest_wait >= 3600


def test_a_flag_counts_more_than_the_setting_and_the_setting_more_than_the_default() -> None:
    settings = Settings(retry={"tries": 7, "longest_wait": 5})
    assert retry_policy(HostOptions(retries=1), settings) == RetryPolicy(retries=1, longest_wait=5)
    assert retry_policy(HostOptions(wait=True, retry_total=9.5), settings) == UNATTENDED.replace(
        retries=7, longest_wait=5, total=9.5
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tries": 1.5}, "tries must be a whole number"),
        ({"tries": True}, "tries must be a whole number"),
        ({"longest_wait": "1 h"}, "longest_wait must be a number of seconds"),
        ({"total": -1}, "total must be a number from 0"),
        ({"attempts": 3}, "there is no 'attempts'; it has tries, longest_wait, total"),
    ],
)
def test_a_wrong_member_is_an_error_that_names_it(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        retry_policy(HostOptions(), Settings(retry=given))
