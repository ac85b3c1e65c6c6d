"""Fakes for tests of programs that call models: a scripted client and a scripted server."""

from zot_provider.testing.flaws import FLAWS, TEXT, Flaw
from zot_provider.testing.received import Received
from zot_provider.testing.scripted import ScriptedClient
from zot_provider.testing.server import ScriptedServer
from zot_provider.testing.sign_in_server import SignInScript, SignInServer
from zot_provider.testing.turn import Call, Delivery, Fault, ScriptOver, Turn

__all__ = [
    "FLAWS",
    "TEXT",
    "Call",
    "Delivery",
    "Fault",
    "Flaw",
    "Received",
    "ScriptOver",
    "ScriptedClient",
    "ScriptedServer",
    "SignInScript",
    "SignInServer",
    "Turn",
]
