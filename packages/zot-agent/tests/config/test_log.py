import logging
import os
import stat
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest

from zot_agent.config.log import RedactingFormatter, environment_secrets, start_log
from zot_provider.auth.secrets import remember_secret
from zot_provider.errors import ConfigError

LOGGERS = ("zot_provider", "zot_core", "zot_agent")
KEY = "sk-0123456789"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """No handler of a test's outlives it."""
    kept = {name: (logging.getLogger(name).level, list(logging.getLogger(name).handlers)) for name in LOGGERS}
    yield
    for name, (level, handlers) in kept.items():
        logger = logging.getLogger(name)
        for handler in set(logger.handlers) - set(handlers):
            logger.removeHandler(handler)
            handler.close()
        logger.setLevel(level)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_the_packages_log_is_in_the_file_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "zot.log"
    start_log(str(path), ["given-on-the-command-line"], {"OPENAI_API_KEY": f" {KEY}\n"})
    for name in LOGGERS:
        logging.getLogger(f"{name}.x").debug("%s and %s in %s", KEY, "given-on-the-command-line", name)
    text = path.read_text()
    assert text.count("*** and *** in zot_") == 3
    assert KEY not in text
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700


@pytest.mark.parametrize("name", ["DB_PW", "GH_PAT", "AWS_CREDS", "MY_PWD", "SESSION_COOKIE", "db_password"])
def test_the_value_of_a_variable_with_an_odd_name_for_a_secret_is_struck(tmp_path: Path, name: str) -> None:
    path = tmp_path / "zot.log"
    start_log(str(path), [], {name: "correct horse", "PWD": "/home/me", "OLDPWD": "/home/you", "PATH": "/usr/bin"})
    logging.getLogger("zot_core").info("correct horse in /home/me and /home/you of /usr/bin")
    assert path.read_text().endswith("*** in /home/me and /home/you of /usr/bin\n")


@pytest.mark.parametrize(
    "secret",
    ["ghp_0123456789abcdefABCDEF", "sk-ant-api03-0123456789abcdef", "AKIAIOSFODNN7EXAMPLE", "xoxb-1234567890-abcdefgh"],
)
def test_what_looks_like_a_key_is_struck_wherever_it_comes_from(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "zot.log"
    start_log(str(path), [], {})
    logging.getLogger("zot_core").info('{"token": "%s"} and sk-short', secret)
    assert path.read_text().endswith('{"token": "***"} and sk-short\n')


def test_tracebacks_are_cleaned_too(tmp_path: Path) -> None:
    path = tmp_path / "zot.log"
    start_log(str(path), [KEY], {})
    try:
        raise ValueError(f"refused {KEY}")
    except ValueError:
        logging.getLogger("zot_core").exception("oh")
    text = path.read_text()
    assert "Traceback" in text
    assert "ValueError: refused ***" in text
    assert KEY not in text


def test_a_log_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "zot.log"
    path.write_text("old\n")
    path.chmod(0o644)
    start_log(str(path), [], {})
    assert mode(path) == 0o600
    assert path.read_text() == "old\n"


def test_it_begins_anew_when_it_is_large_and_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "zot.log"
    start_log(str(path), [], {}, max_bytes=1000)
    for number in range(100):
        logging.getLogger("zot_core").info("line %d of the log", number)
    assert sorted(each.name for each in path.parent.iterdir()) == ["zot.log", "zot.log.1"]
    assert all(each.stat().st_size <= 1000 for each in path.parent.iterdir())
    assert {mode(each) for each in path.parent.iterdir()} == {0o600}
    assert "line 99 of" in path.read_text()


def test_one_that_cannot_be_written_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"^cannot write the log .*zot.log: .*; leave out --debug$"):
        start_log(str(tmp_path / "file" / "zot.log"), [], {})
    (tmp_path / "zot.log").mkdir()
    with pytest.raises(ConfigError, match="cannot write the log"):
        start_log(str(tmp_path / "zot.log"), [], {})


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_log_that_would_be_waited_for_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "zot.log"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/ptmx")
    with pytest.raises(ConfigError, match=r"zot.log: not a regular file; leave out --debug$"):
        start_log(str(path), [], {})


def test_a_log_that_is_replaced_by_a_pipe_before_it_begins_again_loses_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "zot.log"
    start_log(str(path), [], {}, max_bytes=200)
    path.unlink()
    os.mkfifo(path)
    for number in range(10):
        logging.getLogger("zot_core").info("line %d of the log", number)
    assert stat.S_ISFIFO((tmp_path / "zot.log").stat().st_mode) or stat.S_ISFIFO(
        (tmp_path / "zot.log.1").stat().st_mode
    )


def test_what_cannot_be_written_does_not_print_anything(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    start_log(str(tmp_path / "zot.log"), [KEY], {})
    (handler,) = (each for each in logging.getLogger("zot_core").handlers if isinstance(each, RotatingFileHandler))
    kept, full = os.dup(handler.stream.fileno()), os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, handler.stream.fileno())
    logging.getLogger("zot_core").error("lost")
    os.dup2(kept, handler.stream.fileno())
    os.close(kept)
    os.close(full)
    assert capfd.readouterr() == ("", "")


def test_the_environment_tells_its_secrets_by_their_names() -> None:
    environ = {
        **{"OPENAI_API_KEY": "a", "MY_TOKEN": "b", "aws_secret_access_key": "c", "DB_PASSWORD": "d", "PGPASS": "e"},
        **{"HOME": "/home/me", "LANG": "C", "PWD": "/work"},
    }
    assert environment_secrets(environ) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("secret", "text", "struck"),
    [
        ("abcdef", "xabcdefx", "x***x"),
        ("abc", "abc", "abc"),
        ("line one\nline two", r'{"content":"line one\nline two"}', '{"content":"***"}'),
        ('quo"ted', r'"quo\"ted" quo"ted', '"***" ***'),
        ("", "http://me:hunter2@proxy:3128/x", "http://me:***@proxy:3128/x"),
        ("", "http://proxy:3128/a@b", "http://proxy:3128/a@b"),
    ],
)
def test_what_is_struck_out(secret: str, text: str, struck: str) -> None:
    record = logging.LogRecord("zot", logging.INFO, "", 0, text, None, None)
    assert RedactingFormatter([secret, "abcd"]).format(record).endswith(f" INFO zot {struck}")


def test_of_two_secrets_the_longer_one_is_struck_out_whole() -> None:
    record = logging.LogRecord("zot", logging.INFO, "", 0, "secret-and-more", None, None)
    assert RedactingFormatter(["secret", "secret-and-more"]).format(record).endswith("zot ***")


def test_a_key_that_is_read_from_the_store_later_is_redacted_too() -> None:
    formatter = RedactingFormatter(["given-key"])
    text = "given-key and refreshed-token-0815"
    record = logging.LogRecord("zot", logging.INFO, "x", 1, text, None, None)
    assert "*** and refreshed-token-0815" in formatter.format(record)
    remember_secret("refreshed-token-0815")
    assert "*** and ***" in formatter.format(record)
