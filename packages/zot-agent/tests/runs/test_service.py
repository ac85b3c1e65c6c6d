"""The service that continues runs after a restart."""

import plistlib
import stat
import sys
from pathlib import Path

import pytest

from zot_agent.runs.service import service, write_service
from zot_provider.errors import ConfigError


def test_linux_has_a_unit_of_the_user_with_quoted_words(tmp_path: Path) -> None:
    env = {"ZOT_HOME": '/my $home/50%"', "PATH": "/bin", "SECRET": "x", "XDG_CONFIG_HOME": str(tmp_path / "config")}
    found = service(env, "linux")
    assert found.path == str(tmp_path / "config/systemd/user/zot-runs.service")
    lines = found.content.decode().splitlines()
    assert f'ExecStart="{sys.executable}" "-m" "zot_agent" "runs" "resume" "--all"' in lines
    assert 'Environment="ZOT_HOME=/my $$home/50%%\\""' in lines
    assert "SECRET" not in found.content.decode()
    assert found.enable == "systemctl --user enable --now zot-runs.service"
    write_service(found)
    assert Path(found.path).read_bytes() == found.content
    assert stat.S_IMODE(Path(found.path).stat().st_mode) == 0o600


def test_macos_has_a_job_of_launchd(tmp_path: Path) -> None:
    found = service({"PATH": "/bin"}, "darwin")
    job = plistlib.loads(found.content)
    assert found.path == str(tmp_path / "Library/LaunchAgents/zot.runs.plist")
    assert job["ProgramArguments"][1:] == ["-m", "zot_agent", "runs", "resume", "--all"]
    assert (job["RunAtLoad"], job["EnvironmentVariables"]) == (True, {"PATH": "/bin"})


def test_other_systems_and_files_that_cannot_be_written_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs systemd or launchd"):
        service({}, "win32")
    (tmp_path / "config").touch()
    with pytest.raises(ConfigError, match="cannot write"):
        write_service(service({"XDG_CONFIG_HOME": str(tmp_path / "config")}, "linux"))
