"""A program of its own: gives up rights with Landlock and a filter of system calls, then becomes another program.

Its first argument is JSON: `read` and `write` are paths, `filter` is the filter in base64. The rest is the program.
This file is passed to an interpreter as text, so it imports the standard library only.
"""

import base64
import ctypes
import json
import os
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # on all machines
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL_DEV = 1, 2, 4, 8, 1 << 14, 1 << 15
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3
_OF_FILES = 0b1111
"""The capabilities that root may keep: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER. They reach files only, which
Landlock judges. With the others root makes devices, which are files of the project then, and changes the network, the
clock and the name of the machine; FSETID keeps setuid in a file that is written."""


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`."""

    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class PathBeneath(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def give_up(read: "list[str]", write: "list[str]", code: bytes) -> None:
    """Keep the rights to these paths only. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    version = check(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)))
    every = _TRUNCATE * 2 - 1 | (_IOCTL_DEV if version >= 5 else 0)
    asked = Ruleset(every, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = ctypes.sizeof(asked) if version >= 6 else 16 if version >= 4 else 8
    ruleset = check(libc.syscall(CREATE_RULESET, ctypes.byref(asked), ctypes.c_size_t(size), ctypes.c_uint32(0)))
    reading = _EXECUTE | _READ_FILE | _READ_DIR
    of_a_file = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | (every & _IOCTL_DEV)
    for paths, access in ((read, reading), (write, every)):
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # what is not there cannot be used
            possible = access if os.path.isdir(path) else access & of_a_file
            rule = PathBeneath(possible, descriptor)
            check(libc.syscall(ADD_RULE, ruleset, 1, ctypes.byref(rule), ctypes.c_uint32(0)))
            os.close(descriptor)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable, in two halves
    check(libc.capget((ctypes.c_uint32 * 2)(_VERSION, 0), sets))
    kept = (ctypes.c_uint32 * 6)(sets[0] & _OF_FILES, sets[1] & _OF_FILES)  # the ambient ones go with the inheritable
    check(libc.capset((ctypes.c_uint32 * 2)(_VERSION, 0), kept))
    check(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    check(libc.syscall(RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    check(libc.prctl(_SECCOMP, _FILTER, ctypes.byref(Program(len(code) // 8, code)), 0, 0))


if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    give_up(order["read"], order["write"], base64.b64decode(order["filter"]))
    os.execv(sys.argv[2], sys.argv[2:])
