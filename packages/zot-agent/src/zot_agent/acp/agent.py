"""`AcpAgent`: the methods of the protocol, over sessions."""

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
    CloseSessionResponse,
    DeleteSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionDeleteCapabilities,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)
from pydantic import BaseModel

from zot_agent.acp import history
from zot_agent.acp.choices import SessionMode, modes
from zot_agent.acp.session import AcpSession, Editor
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host import Host
from zot_agent.host.build import build_host, choose_model, open_registry
from zot_agent.host.options import Options
from zot_agent.version import __version__
from zot_core.errors import Busy, SessionNotFound
from zot_provider.errors import ConfigError, MissingKey
from zot_provider.router import open_client

PROTOCOL_VERSION = 1
"""The version of the protocol that is spoken; a client that cannot is told so by it."""

_ENVIRONMENT = "environment"


class AcpAgent:
    """What the agent side of the package `acp` calls: one method of the protocol each.

    The names of the parameters are those of the protocol; what else a request holds is passed over. Raises
    `RequestError` and `ZotError`.
    """

    def __init__(self, options: Options, editor: Editor) -> None:
        """`options` are those of every session but for its directory."""
        self._options, self._editor = options, editor
        self._mode: SessionMode = "ask" if options.no_yolo else "yolo"
        self.sessions: dict[str, AcpSession] = {}

    # Connecting

    async def initialize(self, protocol_version: int, **more: Any) -> InitializeResponse:
        """Say what zot can do, and how to authenticate if there is no key."""
        missing = await self._missing_key()
        stored = not self._options.no_session
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=Implementation(name="zot", title="zot", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=stored,
                prompt_capabilities=PromptCapabilities(image=True, audio=False, embedded_context=True),
                session_capabilities=SessionCapabilities(
                    close=SessionCloseCapabilities(),
                    resume=SessionResumeCapabilities() if stored else None,
                    list=SessionListCapabilities() if stored else None,
                    delete=SessionDeleteCapabilities() if stored else None,
                ),
            ),
            auth_methods=[AuthMethodAgent(id=_ENVIRONMENT, name="API key in the environment", description=missing)]
            if missing
            else [],
        )

    async def authenticate(self, method_id: str, **more: Any) -> AuthenticateResponse:
        """Look whether there is a key: it can come from the environment alone."""
        missing = await self._missing_key()
        if missing:
            raise _no_key(missing)
        return AuthenticateResponse()

    async def _missing_key(self) -> str:
        """What to do about a missing key, naming the variables; empty if there is one, or something else is wrong,
        which a session will tell."""
        try:
            home = zot_home()
            registry = open_registry(home)
            selection = choose_model(self._options, load_settings(home), registry, None)
            await open_client(selection, registry=registry).close()
        except MissingKey as error:
            return f"{error}, in the environment of the editor or in its settings for zot"
        except ConfigError:
            pass
        return ""

    # Sessions

    async def new_session(self, cwd: str, mcp_servers: Any = None, **more: Any) -> NewSessionResponse:
        """Begin a session in `cwd`."""
        host = self._host(self._options.replace(cwd=_absolute(cwd)))
        stored = host.runtime.session
        session = self._open(stored.meta.id if stored is not None else str(uuid.uuid4()), host, mcp_servers)
        return NewSessionResponse.model_validate({"sessionId": session.id, **await _choices(session)})

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **more: Any
    ) -> LoadSessionResponse:
        """Go on with a session, and tell what was said in it."""
        session = await self._reopen(cwd, session_id, mcp_servers)
        session.replay()
        return LoadSessionResponse.model_validate(await _choices(session))

    async def resume_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **more: Any
    ) -> ResumeSessionResponse:
        """Go on with a session that the client still shows."""
        session = await self._reopen(cwd, session_id, mcp_servers)
        return ResumeSessionResponse.model_validate(await _choices(session))

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **more: Any
    ) -> ListSessionsResponse:
        """A page of the sessions there are, the one used last first; of the directory `cwd`, or of all."""
        self._check_stored()
        if cwd is not None and not os.path.isabs(cwd):
            raise ConfigError(f"cwd must be an absolute path, not {cwd!r}")
        folder = os.path.abspath(cwd) if cwd is not None else None
        sessions, next_cursor = await asyncio.to_thread(history.page, folder, cursor or "")
        return ListSessionsResponse.model_validate({"sessions": sessions, "nextCursor": next_cursor})

    async def delete_session(self, session_id: str, **more: Any) -> DeleteSessionResponse:
        """Remove a session for good, closing it first if it is open here. One that is not there is no error."""
        self._check_stored()
        if self._found(session_id) is not None:
            await self.close_session(session_id)
        await asyncio.to_thread(history.delete, session_id)
        return DeleteSessionResponse()

    async def close_session(self, session_id: str, **more: Any) -> CloseSessionResponse:
        """Stop what a session does and let others have it."""
        session = self._session(session_id)
        del self.sessions[session.id]
        await session.close()
        return CloseSessionResponse()

    async def _reopen(self, cwd: str, id: str, mcp_servers: Any) -> AcpSession:
        self._check_stored()
        if not id.strip():
            raise SessionNotFound("the id of the session is empty")
        open_one = self._found(id) or self._found(history.identity(id))
        if open_one is not None:
            if open_one.busy:
                raise Busy(
                    f"the session is open here as {open_one.id!r} and answers a prompt; wait for it, or cancel it"
                )
            await self.close_session(open_one.id)
        return self._open(id, self._host(self._options.replace(cwd=_absolute(cwd), session=id)), mcp_servers)

    def _check_stored(self) -> None:
        if self._options.no_session:
            raise ConfigError("zot was started with --no-session: no sessions are kept")

    def _host(self, options: Options) -> Host:
        try:
            return build_host(options, once=False, can_ask=True)
        except MissingKey as error:
            raise _no_key(str(error)) from None
        except ConfigError as error:
            if isinstance(error.__cause__, SessionNotFound):  # on a command line it is a wrong word
                raise error.__cause__ from None
            raise

    def _open(self, id: str, host: Host, mcp_servers: Any) -> AcpSession:
        session = self.sessions[id] = AcpSession(id, host, self._editor, self._mode)
        names = [each.name for each in mcp_servers or ()]
        if names:
            session.note(f"zot does not support MCP servers yet; it goes on without {', '.join(names)}")
        return session

    def _session(self, id: str) -> AcpSession:
        session = self._found(id)
        if session is None:
            raise SessionNotFound(f"no session {id!r} is open here; begin one with session/new or session/load")
        return session

    def _found(self, id: str) -> AcpSession | None:
        """The open session that a client means: by what it called it when it opened it, which may have been the
        beginning of its id, or by the whole id, which the list of sessions has."""
        return self.sessions.get(id) or next((each for each in self.sessions.values() if each.identity == id), None)

    async def close(self) -> None:
        """Stop everything."""
        sessions = list(self.sessions.values())
        self.sessions.clear()
        await asyncio.gather(*(session.close() for session in sessions))

    # Choices

    async def set_session_mode(self, session_id: str, mode_id: str, **more: Any) -> SetSessionModeResponse:
        """Ask before tool calls, or do not; also while a prompt is being answered."""
        session = self._session(session_id)
        session.set_mode(mode_id)
        options = await session.options()
        self._editor.update(session.id, {"sessionUpdate": "config_option_update", "configOptions": options})
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: object, **more: Any
    ) -> SetSessionConfigOptionResponse:
        """Choose a mode, or for an idle session a model or an effort."""
        session = self._session(session_id)
        session.choose(config_id, str(value))
        if config_id == "mode":
            self._editor.update(session.id, {"sessionUpdate": "current_mode_update", "currentModeId": session.mode})
        return SetSessionConfigOptionResponse.model_validate({"configOptions": await session.options()})

    # Prompts

    async def prompt(self, session_id: str, prompt: Sequence[BaseModel], **more: Any) -> PromptResponse:
        """Answer a prompt; what zot calls its end is in `_meta`."""
        blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in prompt]
        end = await self._session(session_id).prompt(blocks)
        return PromptResponse.model_validate({"stopReason": end.stop, "_meta": {"zot": {"end": end.reason}}})

    async def cancel(self, session_id: str, **more: Any) -> None:
        """Stop the prompt at hand."""
        session = self._found(session_id)
        if session is not None:
            session.cancel()


def _absolute(cwd: str) -> str:
    if not os.path.isabs(cwd):
        raise ConfigError(f"cwd must be an absolute path, not {cwd!r}")
    if not os.path.isdir(cwd):
        raise ConfigError(f"there is no directory {cwd}")
    return cwd


async def _choices(session: AcpSession) -> dict[str, Any]:
    return {"modes": modes(session.mode), "configOptions": await session.options()}


def _no_key(text: str) -> RequestError:
    return RequestError(RequestError.auth_required().code, text)
