"""For tests of extensions: `FakeHost` stands in for zot."""

from __future__ import annotations

from zot_ext.testing.fake_host import FakeHost

__all__ = ["FakeHost"]
