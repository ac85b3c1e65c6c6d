"""Limits for what runs in a sandbox, and the environment that it gets."""

import os
from collections.abc import Iterable, Mapping, Sequence

from zot_provider.record import Record

_LIMITED = (
    "ulimit -c 0; ulimit -f {blocks}; ulimit -d {data}; ulimit -u {processes} 2>/dev/null || ulimit -p {processes}; "
    "{{ echo 1000 >/proc/self/oom_score_adj; }} 2>/dev/null; "
)
"""When memory is short, the system ends what is in the sandbox first."""

_PASSED = frozenset(
    word
    for line in (
        "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TZ COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CI",
        "VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT NVM_DIR RUSTUP_HOME CARGO_HOME GOPATH GOROOT JAVA_HOME ANDROID_HOME",
        "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS SOURCE_DATE_EPOCH",
    )
    for word in line.split()
)
"""Names of variables that say where programs are and how they write, and are no secrets."""


NO_RETRIES = dict.fromkeys(("npm_config_fetch_retries", "PIP_RETRIES", "CARGO_NET_RETRY", "UV_HTTP_RETRIES"), "0")
"""Variables by which installers do not try for a minute what cannot succeed without a network."""

_SHELLS = {"bash": 1024, "sh": 512}
"""The size of a block of `ulimit -f`, in bytes."""


class SandboxLimits(Record):
    """Limits of a command. Only processes are counted together (for root they are not: Linux exempts it)."""

    processes: int = 4096
    file_bytes: int = 32 * 1024**3
    memory_share: float = 0.75
    """How much of the machine's memory one process may have for its data."""

    @property
    def memory_bytes(self) -> int:
        """The same in bytes."""
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * self.memory_share)


def with_limits(argv: Sequence[str], limits: SandboxLimits) -> list[str]:
    """Return the command line that starts `argv` with these limits. A shell with a command sets them by itself."""
    shell, *rest = argv
    in_shell = len(rest) == 2 and rest[0] == "-c" and os.path.basename(shell) in _SHELLS
    script = _LIMITED.format(
        blocks=limits.file_bytes // _SHELLS[os.path.basename(shell) if in_shell else "sh"],
        data=limits.memory_bytes // 1024,
        processes=limits.processes,
    )
    return [shell, "-c", script + rest[1]] if in_shell else ["/bin/sh", "-c", script + 'exec "$@"', "sh", *argv]


def inside_environment(env: Mapping[str, str], passed: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables of `env` that are known to be harmless, and those with the names `passed`."""
    names = _PASSED.union(passed)
    kept = {name: value for name, value in env.items() if name in names or name.startswith("LC_")}
    path = [folder for folder in kept.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    return kept | {"PATH": os.pathsep.join(path), "TMPDIR": "/tmp"}
