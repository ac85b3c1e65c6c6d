"""Tests of extensions: `FakeHost` plays the part of zot, `check` verifies that a program follows the protocol."""

from __future__ import annotations

from zot_ext.testing.conformance import RULES, CheckFinding, Report, check
from zot_ext.testing.fake_host import FakeHost

__all__ = ["RULES", "CheckFinding", "FakeHost", "Report", "check"]
