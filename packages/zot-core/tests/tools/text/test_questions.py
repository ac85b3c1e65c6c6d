import pytest

from zot_core.tools.text.questions import asks_for_input


@pytest.mark.parametrize(
    "output",
    [
        "Do you want to continue? [Y/n] ",
        "Overwrite existing file? (yes/no): ",
        "[sudo] password for ann: ",
        "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
        "Ok to proceed? (y) ",
        "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
        "Press any key to continue . . .",
    ],
)
def test_a_question_at_the_end_is_one_whatever_the_exit(output: str) -> None:
    assert asks_for_input(output, failed=True)
    assert asks_for_input(output, failed=False)


@pytest.mark.parametrize(
    "output",
    [
        "EOFError: EOF when reading a line\n",
        "sudo: a terminal is required to read the password; either use the -S option\n",
        "fatal: could not read Username for 'https://example.org': No such device or address\n",
        "Do you want to continue? [Y/n] Abort.\n",
        "the input device is not a TTY\n",
        "bash: /dev/tty: No such device or address\n",
        "error: Terminal is dumb, but EDITOR unset\n",
    ],
)
def test_the_words_of_a_program_that_could_not_ask_count_if_it_failed(output: str) -> None:
    assert asks_for_input(output, failed=True)
    assert not asks_for_input(output, failed=False)


@pytest.mark.parametrize(
    "output", ["", "3 passed\n", "the password was changed\n", "password: str\nok\n", "x" * 100_000]
)
def test_other_output_asks_nothing(output: str) -> None:
    assert not asks_for_input(output, failed=True)


def test_a_long_output_is_soon_known() -> None:
    for piece in ("password for ", "(y/", "passphrase ", "are you sure", "continue"):
        assert not asks_for_input(piece * 100_000 + "\n.", failed=True)
