"""Runs `zot` on this system as on one without POSIX: `python windows.py ARGUMENTS`.

The modules and functions that Windows lacks are missing, and `sys.platform` says `win32`. The standard library is
loaded before, since it chooses its parts by the same name.
"""

import argparse
import asyncio
import ctypes.util
import ctypes.wintypes
import email.message
import importlib.metadata
import json
import logging
import os
import pathlib
import platform
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import threading
import uuid
from unittest.mock import MagicMock

MODULES = ("fcntl", "termios", "pty", "tty", "pwd", "grp", "resource", "syslog", "readline", "curses")
FUNCTIONS = (
    *("fork", "setsid", "setpgid", "killpg", "getpgid", "geteuid", "getgid", "getegid", "fchmod", "fchown", "mkfifo"),
    *("openpty", "pread", "pwrite", "O_NONBLOCK", "O_NOFOLLOW", "O_DIRECTORY", "O_NOCTTY", "pidfd_open", "EX_OK"),
)
SIGNALS = ("SIGHUP", "SIGKILL", "SIGTSTP", "SIGCONT", "SIGWINCH", "SIGUSR1", "SIGQUIT", "SIGPIPE", "SIGCHLD")
LOADED = (argparse, asyncio, ctypes.util, email.message, importlib.metadata, json, logging, pathlib, shutil, socket)
LOADED += (ssl, subprocess, tempfile, threading, uuid)


class Missing:
    """Finds nothing where Windows has nothing."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main() -> int:
    platform.machine()
    asyncio.new_event_loop().close()  # asyncio of Python 3.14 chooses its loops only then
    sysconfig.get_config_vars()
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Missing())
    for module, names in ((os, FUNCTIONS), (signal, SIGNALS)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    ctypes.windll = MagicMock()  # type: ignore[attr-defined]  urwid looks up its functions when it is imported
    sys.modules["msvcrt"] = MagicMock()  # locks of files
    sys.platform = "win32"
    from zot_agent.entry import main as zot

    return zot() or 0


if __name__ == "__main__":
    sys.exit(main())
