"""For tests of extensions: `FakeHost` stands in for zot, `check` holds a program against the protocol."""

from __future__ import annotations

from zot_ext.testing.conformance import RULES, Finding, Report, check
from zot_ext.testing.fake_host import FakeHost

__all__ = ["RULES", "FakeHost", "Finding", "Report", "check"]
