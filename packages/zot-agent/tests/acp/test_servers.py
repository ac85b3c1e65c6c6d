import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from zot_agent.acp.servers import ServerFiles
from zot_agent.mcp.config import read_servers


def server(**fields: Any) -> Any:
    """A model of the protocol, as far as it is used."""
    return SimpleNamespace(name=fields["name"], model_dump=lambda **_: fields)


def test_the_servers_of_an_editor_become_a_file_that_only_the_person_can_read() -> None:
    files = ServerFiles()
    assert files.write([]) == []
    (path,) = files.write(
        [
            server(name="one", command="/bin/x", args=["-y"], env=[{"name": "A", "value": "b"}]),
            server(name="two", type="http", url="https://h/mcp", headers=[{"name": "X", "value": "y"}]),
        ]
    )
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert json.loads(Path(path).read_text("utf-8")) == {
        "mcpServers": {
            "one": {"command": "/bin/x", "args": ["-y"], "env": {"A": "b"}},
            "two": {"type": "http", "url": "https://h/mcp", "headers": {"X": "y"}},
        }
    }
    found, problems = read_servers([path])
    assert ([each.name for each in found], problems) == (["one", "two"], [])
    assert files.write([server(name="three", command="x", args=[], env=[])]) != [path]
    files.close()
    assert not os.path.exists(path)
