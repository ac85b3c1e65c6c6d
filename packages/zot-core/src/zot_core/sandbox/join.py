"""A program that starts another one inside a sandbox whose network has nothing but its own loopback.

It listens on a port there, gives the listening socket to the process outside, and becomes the other program. So that
process accepts the connections itself: nothing inside relays, and no socket that leads out stays open inside.

Arguments: a descriptor of a connected socket, the port, and the command line of the other program. It must start
quickly: the underscored modules are those without an import of others.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import os
import sys


def main(door: str, port: str, *command: str) -> None:
    """Give the listening socket away and start the command."""
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", int(port)))
    listener.listen(128)
    outside = _socket.socket(fileno=int(door))
    given = listener.fileno().to_bytes(4, sys.byteorder)
    outside.sendmsg([b"\0"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, given)])
    outside.close()
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # Python ignores them, and so would the command
        _signal.signal(number, _signal.SIG_DFL)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
