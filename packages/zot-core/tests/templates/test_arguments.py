import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.templates.arguments import EXPANDED_LIMIT, fill, split_words
from zot_provider.errors import ConfigError


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", []),
        (" a  b\n c ", ["a", "b", "c"]),
        ('"a b" c', ["a b", "c"]),
        ("'a b' c", ["a b", "c"]),
        ('--name="a b"', ["--name=a b"]),
        (r"a\ b", ["a b"]),
        (r'"say \"hi\""', ['say "hi"']),
        ('""', [""]),
        ("don't say it's so", ["don't", "say", "it's", "so"]),
        ('an "open quote', ["an", '"open', "quote"]),
        (r"C:\folder\*.py", [r"C:\folder\*.py"]),
    ],
)
def test_arguments_are_split_as_a_shell_does_but_apostrophes_are_text(arguments: str, words: list[str]) -> None:
    assert split_words(arguments) == words


@given(st.lists(st.text(st.sampled_from("ab '\"\\$é\n"), max_size=6)))
def test_words_quoted_for_a_shell_come_back(words: list[str]) -> None:
    quoted = " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    assert split_words(quoted) == words


@given(st.text(st.sampled_from("ab \n"), max_size=12))
def test_words_without_quotes_are_those_of_shlex(text: str) -> None:
    assert split_words(text) == shlex.split(text)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("$1-$2-$3", "one-two words-"),
        ("$@", "one two words"),
        ("$ARGUMENTS", 'one "two words"'),
        ("${@:2}", "two words"),
        ("${@:1:1}", "one"),
        ("${@:0}", "one two words"),
        ("${@:9}.", "."),
        ("${1}st ${3:-none} ${ARGUMENTS:-nothing}", 'onest none one "two words"'),
        (r"\$1 and \$ARGUMENTS", '$1 and $ARGUMENTS\n\none "two words"'),
        ("$ARGUMENTS_x $1", "$ARGUMENTS_x one"),
        ("$0 costs $100 $1", "$0 costs $100 one"),
        ("plain\n", 'plain\n\none "two words"'),
    ],
)
def test_placeholders_are_replaced(text: str, filled: str) -> None:
    assert fill(text, ' one "two words" ') == filled


def test_without_arguments_placeholders_are_empty_or_their_default() -> None:
    assert fill("[$1|$@|$ARGUMENTS|${1:-x y}|${@:-z}]", "") == "[|||x y|z]"
    assert fill("plain", "") == "plain"


@given(st.text(st.sampled_from("a $@{}:12-\\'\"ARGUMENTS"), max_size=20))
def test_what_is_put_in_is_not_searched_again(arguments: str) -> None:
    assert fill("$ARGUMENTS", arguments) == arguments.strip()


def test_a_prompt_that_grows_without_bound_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"more than 16,777,216 characters$"):
        fill("$ARGUMENTS" * 1000, "x" * (EXPANDED_LIMIT // 500))
