import socket
import subprocess
import sys

import pytest
from waiting import PATIENCE

LOADED = ["_ssl", "dis", "_posixsubprocess", "_locale"]
"""A module that each of the deferred ones loads."""
if sys.version_info < (3, 14):  # `traceback` loads it there
    LOADED.append("tokenize")


def run(code: str) -> list[str]:
    code = f"from zot_agent.deferred_modules import defer_modules; {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("loaded", LOADED)
def test_asyncio_and_argparse_do_not_execute_them(loaded: str) -> None:
    code = "defer_modules(); import asyncio, argparse, sys; asyncio.run(asyncio.sleep(0)); argparse.ArgumentParser();"
    assert run(f"{code} print('ssl' in sys.modules, {loaded!r} in sys.modules)") == ["True", "False"]


@pytest.mark.parametrize("loaded", LOADED)
def test_the_first_drawing_does_not_execute_them_and_starts_no_program(loaded: str) -> None:
    code = f"defer_modules(); import zot_agent.ui.start, sys; print('urwid' in sys.modules, {loaded!r} in sys.modules)"
    assert run(code) == ["True", "False"]


def test_a_dataclass_has_its_fields_without_them() -> None:
    code = (
        "from dataclasses import dataclass, fields;"
        "Base = dataclass(type('Base', (), {'__annotations__': {'x': int, 'y': 'str'}, 'y': '-'}));"
        "Same = dataclass(type('Same', (Base,), {}));"
        "More = dataclass(slots=True)(type('More', (Base,), {'__annotations__': {'z': float}, 'z': 0}));"
        "print(*((each.name, each.type) for kind in (Same, More) for each in fields(kind)))"
    )
    assert run(f"defer_modules(); {code}") == run(code)


def test_a_dataclass_with_slots_keeps_its_wrapped_methods_without_them() -> None:
    code = (
        "from dataclasses import dataclass; from functools import cache\n"
        "@dataclass(slots=True, frozen=True)\nclass Size:\n x: int = 1\n @cache\n def twice(self): return 2 * self.x\n"
        "print(Size(3).twice())"
    )
    assert run(f"defer_modules(); {code}") == run(code) == ["6"]


def test_urwid_gets_what_it_uses_later() -> None:
    code = (
        "import sys; defer_modules(); from urwid.display import raw, _posix_raw_display as posix;"
        "from urwid.str_util import get_char_width; import inspect, typing_extensions;"
        "process = posix.Popen([sys.executable, '-c', 'print(1)'], stdout=posix.PIPE);"
        "print(process.communicate()[0].decode().strip(), get_char_width('a'), typing_extensions.deprecated.__name__)"
    )
    assert run(code) == ["1", "1", "deprecated"]


def test_a_connection_without_tls_does_not_execute_ssl() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import asyncio, sys; asyncio.run(asyncio.open_connection('127.0.0.1', {port}))"
        assert run(f"defer_modules(); {code}; print('_ssl' in sys.modules)") == ["False"]


def test_asyncio_still_refuses_a_socket_of_ssl_that_it_would_read_itself() -> None:
    code = (
        "defer_modules(); import asyncio, socket, ssl;"
        "plain, other = socket.socketpair();"
        "wrapped = ssl.create_default_context().wrap_socket(plain, server_hostname='a', do_handshake_on_connect=False);"
        "loop = asyncio.new_event_loop()\n"
        "try: loop.run_until_complete(loop.sock_recv(wrapped, 1))\n"
        "except TypeError as error: print(error)"
    )
    assert run(code) == ["Socket", "cannot", "be", "of", "type", "SSLSocket"]


def test_the_constants_are_those_of_the_module() -> None:
    names = "subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL"
    code = f"defer_modules(); import subprocess; given = {names}; subprocess.run; print(given == ({names}))"
    assert run(code) == ["True"]


def test_argparse_says_what_it_says_without_them() -> None:
    code = (
        "import argparse; parser = argparse.ArgumentParser(prog='p', description='d', exit_on_error=False);"
        "parser.add_argument('word', nargs='+'); parser.add_argument('-n', type=int, help='a number');"
        "print(parser.format_help())"
    )
    assert run(f"defer_modules(); {code}") == run(code)
    assert run("defer_modules(); import gettext; print(gettext.ngettext('one', 'more', 2))") == ["more"]


def test_another_module_gets_the_socket_class_of_ssl() -> None:
    code = "defer_modules(); from ssl import SSLSocket; import socket; print(issubclass(SSLSocket, socket.socket))"
    assert run(code) == ["True"]


def test_a_module_is_the_ordinary_one_once_it_is_used() -> None:
    code = (
        "defer_modules(); import inspect, types; from inspect import signature;"
        "print(signature(len), type(inspect) is types.ModuleType, inspect.getmodule(inspect.Signature) is inspect)"
    )
    assert run(code) == ["(obj,", "/)", "True", "True"]


def test_a_module_of_a_package_finds_its_siblings() -> None:
    code = "defer_modules(); import asyncio.base_events as user; print(user.sslproto.SSLProtocol.__module__)"
    assert run(code) == ["asyncio.sslproto"]


def test_a_name_that_a_module_does_not_have_is_an_attribute_error() -> None:
    code = "defer_modules(); import inspect; print(hasattr(inspect, 'nothing'), hasattr(inspect, 'unwrap'))"
    assert run(code) == ["False", "True"]


def test_threads_that_use_a_module_first_at_the_same_time_all_get_it_whole() -> None:
    code = (
        "import inspect as none_yet, sys; del sys.modules['inspect']; sys.setswitchinterval(1e-6); defer_modules();"
        "import inspect; from concurrent.futures import ThreadPoolExecutor as Pool;"
        "pool = Pool(8); print({each.__name__ for each in pool.map(lambda _: inspect.unwrap, range(8))})"
    )
    assert run(code) == ["{'unwrap'}"]


def test_a_loaded_module_stays_as_it_is() -> None:
    assert run("import inspect as before; defer_modules(); import inspect; print(inspect is before)") == ["True"]
