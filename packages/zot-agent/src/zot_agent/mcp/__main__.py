"""The program of the bundled extension. zot runs it by its path, in an environment that has `mcp` and no zot."""

import os
import sys
from types import ModuleType


def main(arguments: list[str]) -> int:
    """Run the extension for the files after `--file`; `doctor` and `serve` before them do something else."""
    # A stand-in for the package around this folder: imported whole, it would bring all of zot.
    folder = os.path.dirname(os.path.abspath(__file__))
    package = sys.modules.setdefault("zot_agent", ModuleType("zot_agent"))
    package.__path__ = [os.path.dirname(folder)]
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or os.curdir) != folder]
    words = [word for word in arguments if word != "--file"]
    if words[:1] == ["doctor"]:
        from zot_agent.mcp.report import print_report  # noqa: PLC0415  a verb each

        return print_report(words[1:])
    if words[:1] == ["serve"]:
        from zot_agent.mcp.serve import serve  # noqa: PLC0415  as above

        return serve(words[1:])
    from zot_agent.mcp.bridge import Bridge  # noqa: PLC0415  as above

    Bridge(words).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
