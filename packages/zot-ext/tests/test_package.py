import json
import subprocess
import sys

import pytest

import zot_ext

SLOW = {"asyncio", "dataclasses", "enum", "inspect", "json", "re", "threading", "typing"}


def modules_loaded_by(statement: str) -> set[str]:
    """Names of the modules that a fresh interpreter loads for `statement`."""
    program = (
        "import sys; before = set(sys.modules)\n"
        f"{statement}\n"
        "names = sorted(set(sys.modules) - before)\n"
        "import json; print(json.dumps(names))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def roots(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_importing_the_package_loads_no_other_module() -> None:
    assert modules_loaded_by("import zot_ext") <= {"zot_ext"}


def test_importing_the_protocol_loads_neither_direction_of_frames() -> None:
    loaded = modules_loaded_by("import zot_ext.protocol")

    assert {name for name in loaded if name.startswith("zot_ext")} == {"zot_ext", "zot_ext.protocol"}
    assert not roots(loaded) & SLOW


@pytest.mark.parametrize(("used", "unused"), [("from_extension", "from_host"), ("from_host", "from_extension")])
def test_one_direction_of_frames_is_defined_without_the_other(used: str, unused: str) -> None:
    loaded = modules_loaded_by(f"import zot_ext.protocol.{used}")

    assert f"zot_ext.protocol.{unused}" not in loaded
    assert not roots(loaded) & {"asyncio", "dataclasses", "inspect", "json", "threading", "typing"}


@pytest.mark.parametrize(
    "statement",
    [
        "import zot_ext.protocol.from_extension, zot_ext.protocol.from_host, zot_ext.protocol.values",
        "from zot_ext.protocol.codec import *; from zot_ext.protocol.splitter import FrameSplitter",
        "import zot_ext.manifest, zot_ext.limits",
        "from zot_ext import *",
        # What an extension that does nothing goes through before it is ready.
        "from zot_ext.protocol.codec import encode, decode_from_host\n"
        "from zot_ext.protocol.from_extension import Hello, Ready\n"
        "encode(Hello('x')); encode(Ready()); decode_from_host(b'{\"type\":\"shutdown\"}')",
    ],
)
def test_nothing_loads_a_slow_module_or_anything_outside_the_standard_library(statement: str) -> None:
    loaded = roots(modules_loaded_by(statement))

    assert not loaded & {"asyncio", "dataclasses", "inspect", "typing"}
    assert loaded <= sys.stdlib_module_names | {"zot_ext"}


def test_every_exported_name_can_be_fetched_and_is_listed() -> None:
    for name in zot_ext.__all__:
        assert getattr(zot_ext, name) is not None
    assert set(zot_ext.__all__) <= set(dir(zot_ext))


def test_the_names_are_those_of_authors_and_not_of_hosts() -> None:
    wanted = {"Blocked", "Event", "HelloAck", "PanelKey", "ToolCallRequest", "Response", "block", "replace", "rewrite"}
    assert wanted <= set(zot_ext.__all__)
    decisions = "zot_ext.protocol.events.decisions"
    frames = [each for each in zot_ext.MODULES if each.startswith("zot_ext.protocol.") and each != decisions]
    assert [zot_ext.MODULES[module] for module in frames] == [
        "FrameError",
        "Event HelloAck PanelKey",
        "PanelMouse",
        "Block ImageBlock PanelSpec TextBlock UnknownBlock",
    ]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'zot_ext' has no attribute 'nothing'"):
        _ = zot_ext.nothing
    with pytest.raises(AttributeError, match=r"module 'zot_ext\.protocol' has no attribute 'nothing'"):
        _ = zot_ext.protocol.nothing
