import os
from pathlib import Path

import pytest

from zot_agent.ui.prompts import picture
from zot_provider.errors import ConfigError


def test_a_pipe_that_is_named_like_a_picture_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    os.mkfifo(path)

    with pytest.raises(ConfigError, match=r"x\.png is no file"):
        picture(str(path))


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*x\.png: No such file"):
        picture(str(tmp_path / "x.png"))
