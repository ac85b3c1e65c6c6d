"""`AcpAgent`: implements the methods of the protocol with sessions."""

import asyncio
import os
import uuid
from collections.abc import Sequence
from typing import Any

from acp.exceptions import RequestError
from acp.schema import (
    AgentCapabilities,
    AuthenticateResponse,
    AuthMethodAgent,
    ClientCapabilities,
    CloseSessionResponse,
    DeleteSessionResponse,
    ForkSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionDeleteCapabilities,
    SessionForkCapabilities,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
    TerminalAuthMethod,
)
from pydantic import BaseModel

from zot_agent.acp import SIGN_IN, history
from zot_agent.acp.choices import mode_state
from zot_agent.acp.servers import ServerFiles
from zot_agent.acp.session import AcpSession, Editor
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.build import build_host, open_registry
from zot_agent.host.extensions import open_providers
from zot_agent.host.folder import choose_model
from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.version import __version__
from zot_core.errors import Busy, SessionNotFound
from zot_core.permission_mode import PermissionMode
from zot_provider.errors import ConfigError, MissingKey
from zot_provider.router import open_client

PROTOCOL_VERSION = 1
"""The supported version of the protocol. `initialize` reports it, so that a client can see that it does not fit."""

_ENVIRONMENT = "environment"


class AcpAgent:
    """The agent for the package `acp`, which calls one method here for each method of the protocol.

    Parameters have the names of the protocol; other fields of a request are ignored. Methods raise `RequestError` and
    `ZotError`.
    """

    def __init__(self, options: HostOptions, editor: Editor) -> None:
        """`options` hold for every session, except for its directory."""
        self._options, self._editor = options, editor
        self.sessions: dict[str, AcpSession] = {}
        self.elicits = False
        """Whether the client can show forms."""
        self.shows = False
        """Whether the client shows what extensions put beside the conversation."""
        self._modes: dict[str, PermissionMode] = {}  # of closed sessions, by full id
        self._servers = ServerFiles()
        self._stored = StoredSessions()

    # Connecting

    async def initialize(
        self, protocol_version: int, client_capabilities: ClientCapabilities | None = None, **extra: Any
    ) -> InitializeResponse:
        """Report the capabilities of zot, and how to authenticate if there is no key."""
        elicitation = None if client_capabilities is None else client_capabilities.elicitation
        self.elicits = elicitation is not None and elicitation.form is not None
        known = None if client_capabilities is None else client_capabilities.field_meta
        own = known.get("zot") if known else None
        self.shows = isinstance(own, dict) and own.get("widgets") is True
        problem = await self._key_problem()
        methods: list[Any] = []
        if problem and _has_terminal(client_capabilities):
            methods.append(TerminalAuthMethod(id="terminal", name="Sign in", type="terminal", args=[*SIGN_IN]))
        if problem:
            methods.append(AuthMethodAgent(id=_ENVIRONMENT, name="API key in the environment", description=problem))
        stored = not self._options.no_session
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=Implementation(name="zot", title="zot", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=stored,
                mcp_capabilities=McpCapabilities(http=True, sse=False),
                prompt_capabilities=PromptCapabilities(image=True, audio=False, embedded_context=True),
                session_capabilities=SessionCapabilities(
                    close=SessionCloseCapabilities(),
                    fork=SessionForkCapabilities() if stored else None,
                    resume=SessionResumeCapabilities() if stored else None,
                    list=SessionListCapabilities() if stored else None,
                    delete=SessionDeleteCapabilities() if stored else None,
                ),
            ),
            auth_methods=methods,
        )

    async def authenticate(self, method_id: str, **extra: Any) -> AuthenticateResponse:
        """Check that there is a key; it can only come from the environment."""
        problem = await self._key_problem()
        if problem:
            raise _no_key(problem)
        return AuthenticateResponse()

    async def _key_problem(self) -> str:
        """Return how to set the missing key; empty if there is a key, or if there is another problem, which opening a
        session will report."""
        try:
            home = zot_home()
            registry = open_registry(home)
            open_providers(registry, self._options)
            selection = choose_model(
                self._options, load_settings(home, ignore=self._options.ignore_settings), registry, None
            )
            await open_client(selection, registry=registry).close()
        except MissingKey as error:
            return f"{error}, in the environment of the editor or in its settings for zot"
        except ConfigError:
            pass
        return ""

    # Sessions

    async def new_session(self, cwd: str, mcp_servers: Any = None, **extra: Any) -> NewSessionResponse:
        host = await self._host(self._options.replace(cwd=_absolute(cwd)), mcp_servers)
        stored = host.runtime.session
        session = self._open(stored.meta.session_id if stored is not None else str(uuid.uuid4()), host)
        return NewSessionResponse.model_validate({"sessionId": session.id, **await _choices(session)})

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **extra: Any
    ) -> LoadSessionResponse:
        """Continue a session, and send the client its conversation so far."""
        session = await self._reopen(cwd, session_id, mcp_servers)
        session.replay()
        return LoadSessionResponse.model_validate(await _choices(session))

    async def resume_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **extra: Any
    ) -> ResumeSessionResponse:
        """Continue a session that the client still shows."""
        session = await self._reopen(cwd, session_id, mcp_servers)
        return ResumeSessionResponse.model_validate(await _choices(session))

    async def fork_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **extra: Any
    ) -> ForkSessionResponse:
        """Continue in a copy of a session, a new one. The other one stays as it is, and stays open if it is."""
        self._check_stored()
        source = self._idle(session_id, as_shown=True)
        options = self._options.replace(cwd=_absolute(cwd), session=source.full_id if source else session_id, fork=True)
        host = await self._host(options, mcp_servers)
        assert host.runtime.session is not None
        session = self._open(host.runtime.session.meta.session_id, host)
        return ForkSessionResponse.model_validate({"sessionId": session.id, **await _choices(session)})

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **extra: Any
    ) -> ListSessionsResponse:
        """Return a page of the stored sessions of the directory `cwd`, or of all, most recently used first."""
        self._check_stored()
        if cwd is not None and not os.path.isabs(cwd):
            raise ConfigError(f"cwd must be an absolute path, not {cwd!r}")
        folder = os.path.abspath(cwd) if cwd is not None else None
        sessions, next_cursor = await asyncio.to_thread(history.page, folder, cursor or "")
        return ListSessionsResponse.model_validate({"sessions": sessions, "nextCursor": next_cursor})

    async def delete_session(self, session_id: str, **extra: Any) -> DeleteSessionResponse:
        """Delete a session, after closing it if it is open here. A missing session is not an error."""
        self._check_stored()
        if self._find(session_id) is not None:
            await self.close_session(session_id)
        self._modes.pop(session_id, None)
        await asyncio.to_thread(history.delete, session_id)
        return DeleteSessionResponse()

    async def close_session(self, session_id: str, **extra: Any) -> CloseSessionResponse:
        """Stop the work of a session and release its file."""
        session = self._get(session_id)
        del self.sessions[session.id]
        self._modes[session.full_id] = session.mode
        await session.close()
        return CloseSessionResponse()

    async def _reopen(self, cwd: str, id: str, mcp_servers: Any) -> AcpSession:
        self._check_stored()
        opened = self._idle(id)
        options = self._options.replace(cwd=_absolute(cwd), session=id)
        if opened is not None:
            await self.close_session(opened.id)
        return self._open(id, await self._host(options, mcp_servers))

    def _idle(self, id: str, *, as_shown: bool = False) -> AcpSession | None:
        """Return the session with this id, or a prefix of it, if it is open here. Raises ZotError if what has this id,
        or what the editor shows there, cannot be read: a prompt runs, or nothing of it is stored."""
        if not id.strip():
            raise SessionNotFound("the id of the session is empty")
        opened = self._find(id) or self._find(history.full_id(id))
        if opened is not None and opened.busy:
            raise Busy(f"the session is open here as {opened.id!r} and answers a prompt; wait for it, or cancel it")
        if opened is not None and not history.full_id(opened.full_id if as_shown else id):
            raise SessionNotFound(f"the session {opened.id!r} is open here, and nothing of it is stored yet")
        return opened

    def _check_stored(self) -> None:
        if self._options.no_session:
            raise ConfigError("zot was started with --no-session: no sessions are kept")

    async def _host(self, options: HostOptions, mcp_servers: Any) -> Host:
        try:
            host = build_host(options.replace(mcp_files=self._servers.write(mcp_servers or ())), once=False)
            await host.ask_early_about_project()
            return host
        except MissingKey as error:
            raise _no_key(str(error)) from None
        except ConfigError as error:
            if isinstance(error.__cause__, SessionNotFound):  # a configuration error only on a command line
                raise error.__cause__ from None
            raise

    def _open(self, id: str, host: Host) -> AcpSession:
        session = self.sessions[id] = AcpSession(id, host, self._editor)
        session.set_mode(self._modes.pop(session.full_id, session.mode))
        return session

    def _get(self, id: str) -> AcpSession:
        session = self._find(id)
        if session is None:
            raise SessionNotFound(f"no session {id!r} is open here; begin one with session/new or session/load")
        return session

    def _find(self, id: str) -> AcpSession | None:
        """Return the open session with this id. The client may use the id with which it opened the session, which may
        be a prefix, or the full id from the list of sessions."""
        return self.sessions.get(id) or next((each for each in self.sessions.values() if each.full_id == id), None)

    async def close(self) -> None:
        sessions = list(self.sessions.values())
        self.sessions.clear()
        await asyncio.gather(*(session.close() for session in sessions))
        self._servers.close()

    # Choices

    async def set_session_mode(self, session_id: str, mode_id: str, **extra: Any) -> SetSessionModeResponse:
        """Set whether tools need a permission; allowed while a prompt runs."""
        session = self._get(session_id)
        session.set_mode(mode_id)
        await session.choices.settled()
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: object, **extra: Any
    ) -> SetSessionConfigOptionResponse:
        """Set the mode or, while the session is idle, the model or the reasoning level."""
        session = self._get(session_id)
        session.choose(config_id, str(value))
        await session.choices.settled()
        return SetSessionConfigOptionResponse.model_validate({"configOptions": await session.choices.options()})

    # Prompts

    async def prompt(self, session_id: str, prompt: Sequence[BaseModel], **extra: Any) -> PromptResponse:
        """Answer a prompt. `_meta` of the response has zot's own name for the stop reason."""
        blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in prompt]
        end = await self._get(session_id).prompt(blocks)
        return PromptResponse.model_validate({"stopReason": end.stop, "_meta": {"zot": {"end": end.reason}}})

    async def cancel(self, session_id: str, **extra: Any) -> None:
        """Stop the running prompt."""
        session = self._find(session_id)
        if session is not None:
            session.cancel()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out what the protocol does not have: an operation, such as `_zot/session.tree`, or `_zot/agents.steer`;
        the events of a sub-agent are in `_meta` of the call that has started it."""
        from zot_agent.acp.operations import operate  # noqa: PLC0415  few editors know them

        session = self._get(str(params.get("sessionId", "")))
        answer = await operate(session, self._stored, method, params)
        await session.choices.settled()  # before the answer
        return answer


def _has_terminal(able: ClientCapabilities | None) -> bool:
    """Return whether the client runs a sign-in in a terminal. Before August 2026 clients said so in `_meta`."""
    if able is None:
        return False
    return bool(able.auth and able.auth.terminal) or bool((able.field_meta or {}).get("terminal-auth"))


def _absolute(cwd: str) -> str:
    if not os.path.isabs(cwd):
        raise ConfigError(f"cwd must be an absolute path, not {cwd!r}")
    if not os.path.isdir(cwd):
        raise ConfigError(f"there is no directory {cwd}")
    return cwd


async def _choices(session: AcpSession) -> dict[str, Any]:
    return {"modes": mode_state(session.mode), "configOptions": await session.choices.options()}


def _no_key(text: str) -> RequestError:
    return RequestError(RequestError.auth_required().code, text)
