"""Where to listen, and what is in the way."""

import os
import socket
from pathlib import Path

import pytest

from zot_agent.serve.address import Address, CannotListen, SocketFile, open_socket, parse_address
from zot_provider.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "shown", "local"),
    [
        ("127.0.0.1:80", "http://127.0.0.1:80", True),
        ("127.8.9.1:80", "http://127.8.9.1:80", True),
        ("localhost:0", "http://localhost:0", True),
        ("[::1]:8080", "http://[::1]:8080", True),
        ("::1:8080", "http://[::1]:8080", True),
        ("0.0.0.0:80", "http://0.0.0.0:80", False),
        ("[::]:80", "http://[::]:80", False),
        ("192.168.1.1:65535", "http://192.168.1.1:65535", False),
        ("unix:/run/zot.sock", "unix:/run/zot.sock", True),
    ],
)
def test_an_address_is_understood(text: str, shown: str, local: bool) -> None:
    address = parse_address(text)
    assert (str(address), address.local) == (shown, local)


@pytest.mark.parametrize(
    "text",
    ["", "8080", ":8080", "localhost", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:٣", "example.org:80",
     "unix:", "127.0.0.1:http", pytest.param(f"127.0.0.1:{'9' * 5000}", id="a port of 5000 digits")],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--listen"):
        parse_address(text)


def test_a_unix_path_is_meant_from_where_the_process_is(alone: Path) -> None:
    assert parse_address("unix:zot.sock").path == str(alone / "zot.sock")


def test_a_port_in_use_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen) as failure:
            open_socket(Address(host="127.0.0.1", port=port))
    words = f"cannot listen on http://127.0.0.1:{port}: Address already in use; name another port"
    assert (str(failure.value), failure.value.exit_code) == (words, 1)


def test_a_free_port_is_found() -> None:
    listener, address = open_socket(Address(host="127.0.0.1"))
    with listener, socket.create_connection(("127.0.0.1", address.port)):
        assert address.port == listener.getsockname()[1]


def test_a_socket_that_is_in_use_is_left_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "zot.sock")
    listener, _ = open_socket(Address(path=path))
    with listener:
        with pytest.raises(CannotListen, match="another process does already"):
            open_socket(Address(path=path))
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)


def test_something_else_at_the_path_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "precious"
    path.write_text("data")
    with pytest.raises(CannotListen, match="something else"):
        open_socket(Address(path=str(path)))
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CannotListen, match="something else"):
        open_socket(Address(path=str(tmp_path / "link")))
    assert path.read_text() == "data"


@pytest.mark.parametrize(
    ("path", "words"),
    [("missing/zot.sock", "No such file"), ("x" * 200, "too long"), ("file/zot.sock", "Not a directory")],
)
def test_a_path_that_cannot_be_had_is_said_in_one_line(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotListen, match=words) as failure:
        open_socket(Address(path=str(tmp_path / path)))
    assert "\n" not in str(failure.value)


def test_a_socket_that_somebody_else_has_put_in_the_place_of_ours_stays(tmp_path: Path) -> None:
    path = tmp_path / "zot.sock"
    listener, address = open_socket(Address(path=str(path)))
    with listener:
        file = SocketFile(address)
        os.rename(path, tmp_path / "away")
        other, _ = open_socket(address)
        with other:
            file.remove()
            assert path.exists()
    file = SocketFile(address)
    file.remove()
    assert not path.exists()
    file.remove()
