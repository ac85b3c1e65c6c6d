import json
import re
from pathlib import Path

import pytest

from zot_agent.cli.serve import TOKEN, run
from zot_agent.fleet.addresses import ADDRESS, DEFAULT_ADDRESS, DEFAULT_QUEUE, QUEUE, STORE


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["-c"], "--continue"),
        (["--session", "x"], "--session"),
        (["--json"], "--json"),
        (["--json-schema", "schema.json"], "--json-schema"),
        (["--list-models"], "--list-models"),
        (["--stats"], "--stats"),
        (["--version"], "--version"),
    ],
)
def test_a_flag_that_means_nothing_for_many_sessions_is_refused_by_name(
    arguments: list[str], flag: str, alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (alone / "schema.json").write_text(json.dumps({"type": "object"}))
    assert run(arguments) == 2
    assert capsys.readouterr() == ("", f"zot: zot serve has no {flag}; see zot serve --help\n")


def test_an_unknown_flag_is_taken_for_one_of_the_command_before_one_of_zot(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--lisen", "127.0.0.1:1"]) == 2
    assert "unknown flag '--lisen'; did you mean --listen" in capsys.readouterr().err


def test_a_port_alone_is_an_address_of_this_machine(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--port", "70000"]) == 2
    assert re.search(r"127\.0\.0\.1:70000. is neither HOST:PORT", capsys.readouterr().err)


def test_the_help_names_the_variables_that_are_read_and_their_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert f"the token in ${TOKEN};" in words
    assert f"(default: ${ADDRESS}, else {DEFAULT_ADDRESS})" in words
    assert f"(default: ${QUEUE}, else {DEFAULT_QUEUE})" in words
    assert f"(default: ${STORE})" in words
