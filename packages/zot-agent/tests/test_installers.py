from pathlib import Path

import pytest

from zot_agent.installers import InstallError, run_installer

TELL = ["/bin/sh", "-c", "echo $UV_SYSTEM_CERTS $UV_NATIVE_TLS $NODE_USE_SYSTEM_CA >&2; exit 1"]


@pytest.mark.parametrize(
    ("variables", "seen"), [(None, "1 1 1"), ({}, "1 1 1"), ({"UV_SYSTEM_CERTS": "false"}, "false 1 1")]
)
def test_installers_trust_what_the_system_trusts_unless_a_variable_says_otherwise(
    tmp_path: Path, variables: dict[str, str] | None, seen: str
) -> None:
    with pytest.raises(InstallError) as caught:
        run_installer(TELL, str(tmp_path), 60, "cannot install it", env=variables)
    assert str(caught.value) == f"cannot install it: {seen}"


def test_a_variable_of_this_process_counts_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_USE_SYSTEM_CA", "0")
    with pytest.raises(InstallError, match=r"1 1 0$"):
        run_installer(TELL, str(tmp_path), 60, "cannot install it")
