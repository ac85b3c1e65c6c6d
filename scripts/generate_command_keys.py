"""Write `zot_agent/ui/commands/keys.json`: the names, the help and the keys of the slash commands.

Run `make generate` after changing one of them.
"""

import json
from pathlib import Path

import zot_agent.ui.commands
from zot_agent.ui.commands import slash_commands

if __name__ == "__main__":
    rows = {each.name: [each.help, each.keys] for each in slash_commands().values()}
    path = Path(zot_agent.ui.commands.__file__).with_name("keys.json")
    path.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
