"""What an extension's frames change: names, subscriptions, notes and panels."""

from pathlib import Path

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.launch import environment
from zot_agent.extensions.log import ExtensionLog, log_path
from zot_agent.extensions.managed import ManagedExtension, SharedState
from zot_agent.extensions.panels.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict
from zot_agent.extensions.setup import ExtensionSetup, ProcessTerms
from zot_core.conversation import events
from zot_core.hooks import Observe
from zot_core.machine.shell import Launch
from zot_ext.manifest import Manifest
from zot_ext.protocol import from_extension as frames
from zot_ext.protocol.groups import providers, tool_ops
from zot_ext.protocol.permissions import ExtensionPermissions
from zot_ext.protocol.raw import RawObject
from zot_ext.protocol.values import PanelSpec

SCHEMA = RawObject("{}")
PANEL = PanelSpec("p", "Title")
GIVEN = [
    frames.Hello("ext"),
    frames.RegisterCommand("/todos", "list"),
    frames.RegisterTool("grow", "grows", SCHEMA),
    frames.UnregisterTool("shrink"),
    frames.ShowProgress("1", "half"),
    frames.CallTool("1", "bash", SCHEMA),
    frames.CallToolCancel("1"),
    frames.Subscribe(("turn_start",), ("tool_call", "weather")),
    frames.RegisterFlag("plan", "boolean"),
    frames.Ready(),
    frames.CommandResponse("1"),
    frames.ToolResult("1", ()),
    frames.EventInterceptResponse("1"),
    frames.Notify("warning", "careful"),
    frames.ClearNotes(),
    frames.OpenPanel(PANEL),
    frames.PanelRender("p", "Other"),
    frames.PanelClose("p"),
    frames.PanelDraw("p", ("a",)),
    frames.PanelKeyResult("p", 1),
    frames.Submit("hello"),
    frames.HostCall("1", "model.get"),
    frames.CancelCall("1"),
    frames.ShutdownAck(),
    providers.RegisterProvider("corp", SCHEMA),
    providers.UnregisterProvider("corp"),
    providers.ProviderEvent("1", "text"),
    providers.ProviderStep("1"),
    providers.ProviderResult("1"),
    tool_ops.RegisterToolOps("far", "/srv"),
    tool_ops.UnregisterToolOps(),
    tool_ops.OpOutput("1", ""),
    tool_ops.OpResponse("1"),
]
OTHERS = [kind() for kind in frames.FROM_EXTENSION if kind not in map(type, GIVEN)]
FRAMES = [*GIVEN, *OTHERS]


class Scene:
    """One extension that is not started, and everything that it shares."""

    def __init__(self, home: Path, permissions: ExtensionPermissions | None = None) -> None:
        self.home = str(home)
        self.conflicts: list[NameConflict] = []
        self.emitted: list[events.ExtensionEvent] = []
        stream: Observe[events.ExtensionEvent] = Observe()
        stream.add(self.emitted.append)
        self.registry = ExtensionRegistry(reserved_commands=("help",))
        self.shared = SharedState(
            self.registry, Panels(self.emitted.append), stream, ExtensionSetup(self.home),
            lambda: AgentInfo(".", "p", "m", ""), lambda: None, self.conflicts.append,
        )  # fmt: skip
        found = DiscoveredExtension(
            "ext", self.home, "explicit", Manifest("ext", exec="./main", permissions=permissions)
        )
        self.extension = ManagedExtension(0, found, self.shared)
        self.connection = Connection(
            "ext", ProcessTerms(Launch(["./main"], self.home, environment())), self.extension,
            ExtensionLog(self.home, "other"),
        )  # fmt: skip

    def receive(self, *received: frames.FromExtension) -> None:
        for frame in received:
            self.extension.received(self.connection, frame)

    def log(self) -> str:
        return Path(log_path(self.home, "ext")).read_text("utf-8")


def subscribed(scene: Scene) -> tuple[set[str], set[str]]:
    """The events that the extension observes, and those that it intercepts."""
    return scene.extension.registrations.observes, scene.extension.registrations.intercepts


def test_the_tests_have_every_frame() -> None:
    assert {type(frame) for frame in FRAMES} == set(frames.FROM_EXTENSION)


async def test_every_frame_has_a_handler(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.receive(*GIVEN)
    assert [command.name for command in scene.registry.commands()] == ["todos"]
    assert [offer.name for _, offer in scene.registry.tools()] == ["grow"]
    assert subscribed(scene) == ({"turn_start"}, {"tool_call"})
    assert [type(event) for event in scene.emitted] == [
        events.Notify, events.Notify, events.ClearNotes, events.PanelOpen, events.PanelRender, events.PanelClose,
        events.Submit,
    ]  # fmt: skip
    assert scene.emitted[:2] == [
        events.Notify("ext", "warn", "it is not asked about weather, so it cannot refuse that"),
        events.Notify("ext", "warn", "careful"),
    ]
    scene.receive(*OTHERS)
    assert "no handler" not in scene.log()


async def test_what_the_permissions_do_not_name_is_refused_and_the_log_says_so(tmp_path: Path) -> None:
    scene = Scene(tmp_path, ExtensionPermissions(tools=("grow_*",), intercept=("turn_start",)))
    scene.receive(
        *FRAMES,
        frames.RegisterTool("grow_more", "grows", SCHEMA),
        frames.Subscribe(("tool_call", "turn_end"), ("turn_start", "assistant_message")),
    )
    assert scene.registry.commands() == []
    assert [offer.name for _, offer in scene.registry.tools()] == ["grow_more"]
    assert subscribed(scene) == ({"turn_start", "turn_end"}, {"turn_start"})
    assert events.Submit not in map(type, scene.emitted)
    refused = [
        ("the command '/todos'", "commands"),
        ("the tool 'grow'", "tools"),
        ("to intercept tool_call", "intercept"),
        ("to submit a prompt", "submit"),
        ("to observe tool_call", "conversation"),
        ("to intercept assistant_message", "intercept"),
    ]
    logged = [
        line.partition("] ")[2] or line for line in scene.log().splitlines() if "is refused: permissions." in line
    ]
    assert [line[line.index(what) :] for (what, _), line in zip(refused, logged, strict=True)] == [
        f"{what} is refused: permissions.{permission} of its manifest does not have it" for what, permission in refused
    ]


async def test_a_frame_without_a_handler_is_logged_and_nothing_else(tmp_path: Path) -> None:
    class Later(frames.Frame, type="later"):
        """A frame of a later version."""

    scene = Scene(tmp_path)
    scene.receive(Later())  # type: ignore[arg-type]
    scene.receive(frames.Submit("still alive"))
    assert "frames of type 'later' have no handler in zot; skipped" in scene.log()
    assert scene.emitted == [events.Submit("ext", "still alive")]


async def test_a_reserved_name_is_a_conflict_and_an_invalid_one_is_logged(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.receive(frames.RegisterCommand("help"), frames.RegisterCommand("not a name"))
    assert [conflict.position for conflict in scene.conflicts] == [0]
    assert "a command cannot be called 'not a name'" in scene.log()


async def test_the_end_takes_names_and_subscriptions_away_but_not_what_it_guarded(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.receive(*FRAMES)
    guarded = {*scene.extension.registrations.intercepts}
    scene.extension.ended(scene.connection, "exited with code 1")
    assert scene.registry.commands() == []
    assert subscribed(scene) == (set(), guarded)
    assert scene.extension.failure == "exited with code 1; see zot ext logs ext"
    assert scene.emitted[-1] == events.Notify("ext", "error", scene.extension.failure)


async def test_an_extension_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    await scene.extension.start(0.0, first=True)
    assert "'./main' is not there" in scene.extension.failure
    assert not scene.extension.running
    await scene.extension.stop()
