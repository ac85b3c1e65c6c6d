"""The sandbox of macOS: `sandbox-exec` with a profile, of whose rules the last that fits counts.

There are no folders of its own for temporary files and the home: they are just not there. A command has its own
terminal and new ones: from another window it would read keys, and what it writes there may be orders.
"""

import os
import sys

from zot_core.machine.shell import Launch
from zot_core.sandbox.limits import SandboxLimits, with_limits
from zot_core.sandbox.policy import SandboxPolicy

PROGRAM = "/usr/bin/sandbox-exec"

_BASE = """\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.trustd.agent"))
(allow file-read*)
(allow file-write-data file-ioctl (regex #"^/dev/(null|zero|tty|ptmx|fd/.*)$"))
(deny file-read-data (regex #"^/dev/ttys[0-9]+$"))
(allow file-read-data file-write-data file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
"""

_NETWORK = """\
(allow network-outbound (remote ip "*:*") (literal "/private/var/run/mDNSResponder"))
(allow network-inbound network-bind (local ip "*:*"))"""

_NO_SETUID = "(deny file-write-setugid)"
"""The last rule: `file-write*` allows it, and a program with it runs outside with the rights of its owner."""

_RULES = {
    "none": "(deny file-read* file-write* (subpath {path}))",
    "read": "(allow file-read* (subpath {path}))\n(deny file-write* (subpath {path}))",
    "write": "(allow file-read* file-write* (subpath {path}))",
}


def problem() -> str:
    """Return why commands cannot be confined here, a line for the person; empty if they can."""
    if sys.platform != "darwin":
        return "sandbox-exec is a program of macOS"
    return "" if os.access(PROGRAM, os.X_OK) else f"the sandbox needs {PROGRAM}, which is not there"


def confined(launch: Launch, policy: SandboxPolicy, limits: SandboxLimits, port: int) -> Launch:
    """Return how `launch` is started in a sandbox, which reaches a proxy at a port of this machine if there is one."""
    text, values = profile(policy, port)
    given = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
    env = {**launch.env, "TMPDIR": policy.scratch} if policy.scratch else launch.env
    return launch.replace(argv=[PROGRAM, "-p", text, *given, *with_limits(launch.argv, limits)], env=env)


def profile(policy: SandboxPolicy, port: int = 0) -> tuple[str, dict[str, str]]:
    """Return the profile for a policy, and the values of its parameters, which are paths."""
    names: dict[str, str] = {}

    def parameter(path: str) -> str:
        return f'(param "{names.setdefault(path, f"P{len(names)}")}")'

    lines = [_BASE]
    for path, access in sorted(policy.paths.items()):
        parent = os.path.dirname(path)
        around = policy.access(parent)
        if access == around:
            continue
        lines.append(_RULES[access].format(path=parameter(path)))
        # A way through hidden folders needs their attributes; renaming a folder would move what is protected in it.
        while path != os.path.sep and around in ("none", "write") and policy.access(parent) == around:
            if around == "none":
                lines.append(f"(allow file-read-metadata (literal {parameter(parent)}))")
            elif policy.may_write(os.path.dirname(parent)):
                lines.append(f"(deny file-write-unlink (literal {parameter(parent)}))")
            path, parent = parent, os.path.dirname(parent)
    if not policy.processes:
        lines.append("(deny process-fork)")
    if policy.open_network:
        lines.append(_NETWORK)
    if port:
        lines.append(f'(allow network-outbound (remote ip "localhost:{port}"))')
    lines.append(_NO_SETUID)
    return "\n".join(lines) + "\n", {name: path for path, name in names.items()}
