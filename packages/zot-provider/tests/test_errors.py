from pathlib import Path

import pytest

from zot_provider.errors import ConfigError, UnknownName


def test_an_error_of_the_system_becomes_one_line_that_says_what_is_not_possible_and_why(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(ConfigError) as raised, ConfigError.of_system(f"cannot read {missing}"):
        missing.read_bytes()
    assert str(raised.value) == f"cannot read {missing}: No such file or directory"
    assert isinstance(raised.value.__cause__, FileNotFoundError)


def test_an_error_of_the_system_without_a_reason_keeps_its_own_words() -> None:
    with pytest.raises(ConfigError, match=r"^cannot connect: timed out$"), ConfigError.of_system("cannot connect"):
        raise TimeoutError("timed out")


def test_other_errors_stay_as_they_are() -> None:
    with pytest.raises(UnknownName, match="no such thing"), ConfigError.of_system("cannot read it"):
        raise UnknownName("no such thing")
