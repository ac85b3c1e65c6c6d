"""`WRAPPERS`: programs that start the program, or run the line of shell, that their arguments name.

A rule that denies or asks sees through them. A row is `NAME(SECTION)`, the manual page that says so, or
`NAME:PAGE(SECTION)` where the page has another name; pages of bash(1) are about its builtins. Programs without such a
page are `NAME:SUBCOMMAND`, whose `--help` says so.
"""

import re
from typing import Literal, TypeAlias

from zot_provider.record import Record

Kind: TypeAlias = Literal["runs", "adds", "shell", "opens", "opens there", "reads", "may run"]
"""`runs`: the rest of the arguments, or one of them. `adds`: it adds words that it reads. `shell`: it runs a line or a
script, else what it reads from its standard input. `opens`: as `runs`, but without arguments it starts a shell, which
reads that; `opens there`: the same with one argument. `reads`: it always runs what it reads. An allow covers none of
these. `may run`: one of its subcommands or options runs a program; an allow may cover it."""


class Wrapper(Record):
    """A row: `page` is the manual page, or what prints one.

    `first`: its first argument that is no option of its own is the program. `file`: that is a file instead, which it
    writes. `text`: it takes one argument for a line of shell, which may have no blank: `eval 'cat<f'`. `of_bash`: if it
    is a shell, `[[`, `((`, `&>` and `$'` mean to it what they mean to bash; elsewhere they do not, at least on some
    systems."""

    page: str
    kind: Kind
    first: bool
    file: bool
    text: bool
    of_bash: bool

    @property
    def verb(self) -> list[str]:
        """The words between the name and `--help`."""
        return self.page.split()[1:-1]


_ROWS: dict[Kind, str] = {
    "runs": """
        .:bash(1) aa-exec(1) arch(1) autossh(1) builtin:bash(1) bwrap(1) caffeinate(8) capsh(1) catchsegv(1) cgexec(1)
        choom(1) chpst(8) chronic(1) chrt(1) command:bash(1) compgen:bash(1) complete:bash(1) coproc:bash(1)
        coresched(1) cpulimit(1) daemon(1) daemonize(1) dbus-launch(1) dbus-run-session(1) docker:docker-exec(1)
        dpkg-architecture(1) dtach(1) dumb-init(1) eatmydata(1) enosys(1) entr(1) env(1) envdir(8) envuidgid(8)
        eval:bash(1) exec:bash(1) fakechroot(1) faketime(1) fc:bash(1) firejail(1) flock(1) gdbserver(1) genv:env(1)
        gnice:nice(1) gnohup:nohup(1) gosu(8) gstdbuf:stdbuf(1) gtimeout:timeout(1) heaptrack(1) hyperfine(1) ifne(1)
        ionice(1) lckdo(1) ld.so(8) logsave(8) ltrace(1) lxc-attach(1) lxc-execute(1) mapfile:bash(1) mispipe(1)
        nice(1) nocorrect:zshmisc(1) noglob:zshmisc(1) nohup(1) nsjail(1) numactl(8) openvt(1) pee(1)
        perf:perf-record(1) pipesz(1) pkexec(1) podman:podman-exec(1) prlimit(1) proot(1) proxychains(1)
        proxychains4:proxychains(1) readarray:bash(1) rlwrap(1) rr(1) run-parts(8) runcon(1) sandbox-exec(1)
        schedtool(8) screen(1) setlock(8) setpgid(1) setpriv(1) setsid(1) setuidgid(8) socat(1) softlimit(8)
        source:bash(1) ssh-agent(1) sshpass(1) start-stop-daemon(8) stdbuf(1) strace(1) systemd-cat(1)
        systemd-inhibit(1) systemd-nspawn(1) systemd-run(1) systemd-socket-activate(1) taskset(1) time(1) timeout(1)
        tini(1) tmux(1) torify(1) torsocks(1) trap:bash(1) trickle(1) tsocks(1) uclampset(1) uftrace:uftrace-record(1)
        unbuffer(1) valgrind(1) watch(1) xcrun(1) xinit(1) xterm(1) xvfb-run(1)
        """,
    "adds": "gxargs:xargs(1) parallel(1) xargs(1)",
    "opens": """
        doas(1) expect(1) fakeroot(1) gdb(1) i386:setarch(8) i486:setarch(8) i586:setarch(8) i686:setarch(8)
        linux32:setarch(8) linux64:setarch(8) lldb(1) nsenter(1) run0(1) schroot(1) script(1) sudo(8) tclsh(1)
        uname26:setarch(8) unshare(1) x86_64:setarch(8)
        """,
    "opens there": "chroot(8) newgrp(1) runuser(1) setarch(8) sg(1) ssh(1) su(1)",
    "reads": "at(1) batch:at(1) crontab(1) ed(1) ex(1)",
    "shell": """
        ash(1) bash(1) busybox(1) csh(1) dash(1) fish(1) ksh(1) mksh(1) posh(1) rbash(1) sh(1) tcsh(1) toybox(1)
        yash(1) zsh(1)
        """,
    "may run": """
        asdf:exec bun:x bundle:exec bunx: cargo:run chamber:exec conda:run corepack: deno:task direnv:exec
        distrobox:enter doppler:run dotenv:run dotenvx:run flatpak:flatpak-run(1) foreman:run hatch:run heroku:run
        ip:ip-netns(8) kubectl:exec machinectl(1) mamba:run micromamba:run mise:exec nc(1) ncat(1) nerdctl:exec
        nix:run nodenv:exec npm:exec npx: op:run pdm:run pipenv:run pipx:run pixi:run pnpm:exec poetry:run pyenv:exec
        rbenv:exec rye:run snap:run toolbox:run tox:exec uv:run uvx: vagrant:ssh volta:run yarn:exec
        """,
}


def names(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_FIRST = names(
    """
    builtin caffeinate chronic command doas eatmydata env exec fakeroot genv gnice gnohup gstdbuf gtimeout gxargs ifne
    ionice ltrace nice nocorrect noglob nohup setsid stdbuf strace sudo time timeout unbuffer valgrind xargs xvfb-run
    """
)
_FILE = names("dtach flock lckdo logsave script setlock")
_TEXT = names("compgen complete eval flock hyperfine mapfile mispipe parallel pee readarray script tmux trap watch")
_NOT_OF_BASH = names("ash busybox csh dash fish posh sh tcsh toybox yash")


def _read(rows: dict[Kind, str]) -> dict[str, Wrapper]:
    found = {}
    for kind, text in rows.items():
        for row in text.split():
            name, separator, page = row.partition(":")
            if not page.endswith(")"):
                page = f"{name} {page} --help" if separator else row
            name = name if separator else row.partition("(")[0]
            joins = name in _TEXT or kind in ("shell", "opens there")
            found[name] = Wrapper(page, kind, name in _FIRST, name in _FILE, joins, name not in _NOT_OF_BASH)
    return found


WRAPPERS = _read(_ROWS)

_LOADER = re.compile(r"ld(?:-linux|-musl|64)?[\w.-]*\.so(?:\.\d+)?")
"""Names of the program loader of a system, which ld.so(8) describes."""


def wrapper(name: str) -> Wrapper | None:
    """Return the row of a program, given by its name without a folder; None without a row."""
    return WRAPPERS.get("ld.so" if _LOADER.fullmatch(name) else name)
