"""The filter of system calls (seccomp, Linux): a program for the kernel that refuses what could lead out of a sandbox.

It refuses sockets other than IP and netlink (so that no daemon of the machine is reached by its path), new
namespaces and mounts, tracing, the kernel's keys, and interfaces with a history of holes. It also refuses to set the
bits setuid and setgid: a program with them, left in the project, runs outside with the rights of its owner. The numbers
come from the kernel's `unistd.h` for the machine; numbers above 423 are the same on all machines.
"""

import os
import struct
from collections.abc import Mapping, Sequence

from zot_provider.record import Record

_EPERM, _ENOSYS = 1, 38
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in `struct seccomp_data`; each argument has 8 bytes

_SOCKETS = (2, 10)  # AF_INET, AF_INET6
_NETLINK = 16
_DATAGRAMS = 2
"""The bit that SOCK_DGRAM and SOCK_RAW have of the types of a pair of sockets, and SOCK_STREAM and SOCK_SEQPACKET not.
One half of a pair for datagrams can send to the path of any other socket."""
_NEW_NAMESPACE = 0x7E020080  # all CLONE_NEW flags
_THREAD = 0x10000  # CLONE_THREAD
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into the terminal

_EVERYWHERE = (
    425, 426, 427,  # io_uring
    428, 429, 430, 431, 432, 433, 442, 467,  # mounts by descriptors
    438,  # pidfd_getfd
)  # fmt: skip
_CLONE3, _OPENAT2 = 435, 437
"""Their arguments are in memory, which a filter cannot read. Programs then use the calls of before."""
_SETUID = 0o6000
"""S_ISUID and S_ISGID. The kernel looks at no other bits of a mode that would set them."""
_MAKES_A_FILE = 0o20000100
"""O_CREAT and the bit of O_TMPFILE: without them `open` takes no mode, and what is in its place may be anything."""
_FCHMODAT2 = 452


class Machine(Record):
    """The numbers of a kind of machine. `refused` are the calls that are refused whatever their arguments."""

    architecture: int
    """AUDIT_ARCH in `linux/audit.h`."""
    socket: int
    socketpair: int
    ioctl: int
    clone: int
    unshare: int
    refused: Sequence[int]
    modes: Mapping[int, int]
    """The calls that set the mode of a file, each with the argument that is the mode: chmod, mknod and others."""
    opens: Mapping[int, int]
    """The calls that do so only when they make a file: open and openat, each with the argument of its flags, which is
    before the mode."""
    forks: Sequence[int] = ()
    """The calls that only make processes: fork and vfork, where there are any."""
    other_table: int = 0
    """The first number of a second table of calls (x32); 0 without one."""


MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(
        0xC000003E, 41, 53, 16, 56, 272,
        # ptrace, process_vm_*, kcmp; add_key, request_key, keyctl; bpf, perf_event_open, userfaultfd
        [101, 310, 311, 312, 248, 249, 250, 321, 298, 323,
         # mount, umount2, pivot_root, setns, open_by_handle_at, quotactl, acct, swapon, swapoff, reboot
         165, 166, 155, 308, 304, 179, 163, 167, 168, 169,
         # init_module, delete_module, finit_module, kexec_load, kexec_file_load, iopl, ioperm
         175, 176, 313, 246, 320, 172, 173],
        # chmod, fchmod, fchmodat, creat, mknod, mknodat; open, openat
        {90: 1, 91: 1, 268: 2, 85: 1, 133: 1, 259: 2}, {2: 1, 257: 2},
        (57, 58),
        0x40000000,
    ),
    "aarch64": Machine(
        0xC00000B7, 198, 199, 29, 220, 97,
        [117, 270, 271, 272, 217, 218, 219, 280, 241, 282,
         40, 39, 41, 268, 265, 60, 89, 224, 225, 142,
         105, 106, 273, 104, 294],
        {52: 1, 53: 2, 33: 2}, {56: 2},
    ),
}  # fmt: skip


def filter_program(machine: str = "", *, network: bool = True, processes: bool = True) -> bytes:
    """Return the program for a kind of machine (`os.uname().machine`), by default this one; without `network` it also
    refuses the sockets of IP, without `processes` all new ones but threads. KeyError if the machine is not known."""
    numbers = MACHINES[machine or os.uname().machine]
    refuse, unknown, allow = _ERROR | _EPERM, _ERROR | _ENOSYS, _ALLOW
    # An instruction is a code, how many to skip if its test holds and if not, and an operand.
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, numbers.architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if numbers.other_table:
        code += [(_AT_LEAST, 0, 1, numbers.other_table), (_RETURN, 0, 0, unknown)]
    for number in (_CLONE3, _OPENAT2):
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, unknown)]
    for number in (*numbers.refused, *_EVERYWHERE, *(() if processes else numbers.forks)):
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    flags = [(_ANY_BIT, 0, 1, _NEW_NAMESPACE), (_RETURN, 0, 0, refuse), (_RETURN, 0, 0, allow)]
    threads = [] if processes else [(_ANY_BIT, 1, 0, _THREAD), (_RETURN, 0, 0, refuse)]
    code += _of(numbers.clone, 0, [*threads, *flags]) + _of(numbers.unshare, 0, flags)
    sockets = (*_SOCKETS, _NETLINK) if network else (_NETLINK,)
    code += _of(numbers.socket, 0, [*_any_of(sockets, allow), (_RETURN, 0, 0, refuse)])
    code += _of(numbers.socketpair, 1, [(_ANY_BIT, 0, 1, _DATAGRAMS), (_RETURN, 0, 0, refuse), (_RETURN, 0, 0, allow)])
    code += _of(numbers.ioctl, 1, [*_any_of(_TERMINAL_INPUT, refuse), (_RETURN, 0, 0, allow)])
    mode = [(_ANY_BIT, 0, 1, _SETUID), (_RETURN, 0, 0, refuse), (_RETURN, 0, 0, allow)]
    for number, argument in {**numbers.modes, _FCHMODAT2: 2}.items():
        code += _of(number, argument, mode)
    for number, argument in numbers.opens.items():
        makes = [(_ANY_BIT, 1, 0, _MAKES_A_FILE), (_RETURN, 0, 0, allow), _load(argument + 1)]
        code += _of(number, argument, [*makes, *mode])
    code.append((_RETURN, 0, 0, allow))
    return b"".join(struct.pack("=HBBI", *each) for each in code)


def _of(number: int, argument: int, code: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return `code`, which returns, for one call, and with the lower half of one of its arguments loaded."""
    return [(_EQUAL, 0, len(code) + 1, number), _load(argument), *code]


def _load(argument: int) -> tuple[int, int, int, int]:
    """Return what loads the lower half of an argument."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)


def _any_of(values: Sequence[int], answer: int) -> list[tuple[int, int, int, int]]:
    return [each for value in values for each in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, answer))]
