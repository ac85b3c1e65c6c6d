import subprocess
import sys


def run(code: str) -> list[str]:
    code = f"from zot_agent.deferred_inspect import defer_inspect; {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()


def test_asyncio_does_not_execute_it() -> None:
    assert run("defer_inspect(); import asyncio, sys; print('inspect' in sys.modules, 'dis' in sys.modules)") == [
        "True",
        "False",
    ]


def test_it_is_the_ordinary_module_once_it_is_used() -> None:
    code = (
        "defer_inspect(); import inspect, types; from inspect import signature;"
        "print(signature(len), type(inspect) is types.ModuleType, inspect.getmodule(inspect.Signature) is inspect)"
    )
    assert run(code) == ["(obj,", "/)", "True", "True"]


def test_a_name_that_it_does_not_have_is_an_attribute_error() -> None:
    assert run("defer_inspect(); import inspect; print(hasattr(inspect, 'nothing'), hasattr(inspect, 'unwrap'))") == [
        "False",
        "True",
    ]


def test_threads_that_use_it_first_at_the_same_time_all_get_it_whole() -> None:
    code = (
        "import inspect as none_yet, sys; del sys.modules['inspect']; sys.setswitchinterval(1e-6); defer_inspect();"
        "import inspect; from concurrent.futures import ThreadPoolExecutor as Pool;"
        "pool = Pool(8); print({each.__name__ for each in pool.map(lambda _: inspect.unwrap, range(8))})"
    )
    assert run(code) == ["{'unwrap'}"]


def test_a_loaded_module_stays_as_it_is() -> None:
    assert run("import inspect as before; defer_inspect(); import inspect; print(inspect is before)") == ["True"]
