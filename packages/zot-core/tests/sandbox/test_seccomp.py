"""The filter of system calls, run by an interpreter of its instructions as the kernel runs it."""

import os
import struct
from types import SimpleNamespace

import pytest
from sandbox_world import SandboxWorld

from zot_core.sandbox import landlock
from zot_core.sandbox.seccomp import MACHINES, filter_program

ALLOWED, EPERM, ENOSYS, KILLED = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
CLONE3, NEW_USER, THREAD = 435, 0x10000000, 0x10000


def answer(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Return what the program says to a call."""
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    code, place, loaded = list(struct.iter_unpack("=HBBI", program)), 0, 0
    while True:
        operation, if_so, if_not, operand = code[place]
        place += 1
        match operation:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", data, operand)
            case 0x06:
                return int(operand)
            case _:
                holds = {0x15: loaded == operand, 0x35: loaded >= operand, 0x45: bool(loaded & operand)}[operation]
                place += if_so if holds else if_not


@pytest.mark.parametrize("name", MACHINES)
def test_calls_are_refused_on_each_machine(name: str) -> None:
    machine, program = MACHINES[name], filter_program(name)

    def says(number: int, *arguments: int) -> int:
        return answer(program, machine.architecture, number, *arguments)

    assert {says(number) for number in (*machine.refused, 425, 442)} == {EPERM}
    assert says(CLONE3) == ENOSYS
    assert [says(machine.socket, family) for family in (1, 2, 10, 16, 17, 38, 40)] == [
        EPERM, ALLOWED, ALLOWED, ALLOWED, EPERM, EPERM, EPERM,
    ]  # fmt: skip
    stream, datagram, raw, packets, close_on_exec = 1, 2, 3, 5, 0o2000000
    assert [says(machine.socketpair, 1, each | close_on_exec) for each in (stream, datagram, raw, packets)] == [
        ALLOWED, EPERM, EPERM, ALLOWED,
    ]  # fmt: skip
    # The kernel looks at the lower half of these arguments only.
    assert says(machine.socket, 1 | 1 << 32) == says(machine.ioctl, 0, 0x5412 | 1 << 40) == EPERM
    assert [says(machine.ioctl, 0, request) for request in (0x5412, 0x541C, 0x5401)] == [EPERM, EPERM, ALLOWED]
    for call in (machine.clone, machine.unshare):
        assert (says(call, NEW_USER | 17), says(call, 17)) == (EPERM, ALLOWED)
    assert says(0) == ALLOWED
    assert answer(program, machine.architecture ^ 1, 0) == KILLED


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("options", [{}, {"network": False}, {"processes": False}])
def test_setuid_and_setgid_are_refused_to_every_call_that_sets_a_mode(name: str, options: dict[str, bool]) -> None:
    machine, program = MACHINES[name], filter_program(name, **options)

    def says(number: int, argument: int, mode: int, flags: int = 0) -> int:
        arguments = [7] * argument + [mode]
        if flags:
            arguments[argument - 1] = flags
        return answer(program, machine.architecture, number, *arguments)

    for number, argument in {**machine.modes, 452: 2}.items():
        for mode in (0o4755, 0o2755, 0o6000, 0o4000 | 1 << 32):
            assert says(number, argument, mode) == EPERM
        for mode in (0o755, 0o1777, 0o100644, 0, 0o4000 << 32):
            assert says(number, argument, mode) == ALLOWED
    create, temporary, read = 0o101, 0o20200002, 0o2000000
    for number, flags in machine.opens.items():
        assert [says(number, flags + 1, mode, create) for mode in (0o4755, 0o2755, 0o755)] == [EPERM, EPERM, ALLOWED]
        assert [says(number, flags + 1, mode, temporary) for mode in (0o4755, 0o755)] == [EPERM, ALLOWED]
        # Without a file that is made there is no mode: whatever is in the register does not count.
        assert says(number, flags + 1, 0o6777, read) == ALLOWED
    assert answer(program, machine.architecture, 437) == ENOSYS


REFUSED = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "setns": (308, 268), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "acct": (163, 89), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "init_module": (175, 105),
    "delete_module": (176, 106), "finit_module": (313, 273), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "iopl": (172, None), "ioperm": (173, None), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "pidfd_getfd": (438, 438),
    "mount_setattr": (442, 442), "open_tree_attr": (467, 467),
}  # fmt: skip
"""Calls that are refused whatever their arguments, with their numbers in the two headers of the kernel."""


@pytest.mark.parametrize(("name", "column"), [("x86_64", 0), ("aarch64", 1)])
def test_the_calls_that_lead_out_have_the_numbers_of_the_kernel(name: str, column: int) -> None:
    """The numbers are those of `asm/unistd_64.h` and `asm-generic/unistd.h`."""
    machine, program = MACHINES[name], filter_program(name)
    refused = {number for numbers in REFUSED.values() if (number := numbers[column]) is not None}
    found = {number for number in range(600) if answer(program, machine.architecture, number) == EPERM}
    assert found - {machine.socket} == refused  # without arguments it is for a socket of no family
    others = (machine.socket, machine.socketpair, machine.ioctl, machine.clone, machine.unshare, *machine.forks)
    assert others == ((41, 53, 16, 56, 272, 57, 58) if name == "x86_64" else (198, 199, 29, 220, 97))


def test_every_call_that_sets_a_mode_is_named_for_each_machine() -> None:
    """The numbers are those of `asm/unistd_64.h` and `asm-generic/unistd.h`."""
    chmod, fchmod, fchmodat, creat, mknod, mknodat = 90, 91, 268, 85, 133, 259
    assert MACHINES["x86_64"].modes.keys() == {chmod, fchmod, fchmodat, creat, mknod, mknodat}
    assert MACHINES["x86_64"].opens == {2: 1, 257: 2}
    assert MACHINES["aarch64"].modes == {52: 1, 53: 2, 33: 2}  # fchmod, fchmodat, mknodat: the older ones are not there
    assert MACHINES["aarch64"].opens == {56: 2}


def test_the_second_table_of_calls_is_not_known() -> None:
    machine = MACHINES["x86_64"]
    assert answer(filter_program("x86_64"), machine.architecture, 0x40000000 | 59) == ENOSYS
    assert answer(filter_program("x86_64"), machine.architecture, -1) == ENOSYS


@pytest.mark.parametrize("name", MACHINES)
def test_the_network_and_processes_can_be_refused_too(name: str) -> None:
    machine = MACHINES[name]
    program = filter_program(name, network=False, processes=False)
    assert [answer(program, machine.architecture, machine.socket, family) for family in (2, 10, 16)] == [
        EPERM, EPERM, ALLOWED,
    ]  # fmt: skip
    assert [answer(program, machine.architecture, machine.clone, flags) for flags in (17, THREAD)] == [EPERM, ALLOWED]
    assert answer(program, machine.architecture, machine.clone, THREAD | NEW_USER) == EPERM
    assert all(answer(program, machine.architecture, number) == EPERM for number in machine.forks)


def test_another_machine_is_not_known() -> None:
    with pytest.raises(KeyError):
        filter_program("m68k")


@pytest.mark.needs("bwrap")
def test_a_machine_whose_calls_are_not_known_has_no_sandbox(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="m68k"))
    landlock.problem.cache_clear()
    assert world.sandbox.problem() == "the sandbox does not know the system calls of m68k"
    landlock.problem.cache_clear()  # for others it is the machine that there is
