"""The setting `retry` and its flags."""

from typing import Any

import pytest

from zot_agent.config.retry import retry_policy
from zot_provider.client.retry import UNATTENDED, RetryPolicy
from zot_provider.errors import ConfigError


def test_without_a_setting_the_policy_is_that_of_the_library() -> None:
    assert retry_policy({}) == RetryPolicy()


def test_work_that_nobody_waits_for_waits_as_long_as_servers_ask() -> None:
    policy = retry_policy({}, unattended=True)
    assert policy == UNATTENDED
    assert policy.longest_wait >= 3600


def test_a_flag_counts_more_than_the_setting_and_the_setting_more_than_the_default() -> None:
    setting = {"tries": 7, "longest_wait": 5}
    assert retry_policy(setting, {"tries": 1, "total": None}) == RetryPolicy(retries=1, longest_wait=5)
    expected = UNATTENDED.replace(retries=7, longest_wait=5, total=9.5)
    assert retry_policy(setting, {"total": 9.5}, unattended=True) == expected


def test_the_flag_to_wait_counts_more_than_a_setting_that_waits_for_less() -> None:
    setting = {"tries": 0, "longest_wait": 5, "total": 90_000}
    assert retry_policy(setting, wait=True) == UNATTENDED.replace(total=90_000)
    assert retry_policy(setting, {"longest_wait": 7.0}, wait=True) == UNATTENDED.replace(longest_wait=7.0, total=90_000)
    with pytest.raises(ConfigError, match="tries must be a whole number"):
        retry_policy({"tries": "many"}, wait=True)


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
        retry_policy(given)
