"""Search what is stored: `sessions` finds sessions by their words, `conversation` a text in what one conversation
shows."""

from zot_core.sessions.search.sessions import HITS, SessionHit, query_words, search_sessions
from zot_core.sessions.search.words import EXCERPT_LENGTH

__all__ = ["EXCERPT_LENGTH", "HITS", "SessionHit", "query_words", "search_sessions"]
