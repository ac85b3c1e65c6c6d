"""Runs `zot` for `python -m zot_agent`."""

import sys

from zot_agent.entry import main

sys.exit(main())
