import pytest

from zot_agent.cli.args import parse

FLAGS = {
    "--api-key": ["--api-key", "k"],
    "--session": ["--session", "s"],
    "--continue": ["-c"],
    "--resume": ["--resume"],
    "--fork": ["-c", "--fork"],
    "--no-session": ["--no-session"],
    "--list-models": ["--list-models"],
    "--stats": ["--stats"],
    "--version": ["-v"],
    "--cwd": ["--cwd", "elsewhere"],
    "--mode": ["--stream"],
}


@pytest.mark.parametrize("flag", FLAGS)
def test_a_command_finds_the_flag_that_it_does_not_take(flag: str) -> None:
    assert parse(FLAGS[flag], "").first_of(flag) == ("--stream" if flag == "--mode" else flag)
    assert parse(["hello"], "").first_of(*FLAGS) == ""
