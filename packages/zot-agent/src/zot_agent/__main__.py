"""`python -m zot_agent` is `zot`."""

import sys

from zot_agent.entry import main

sys.exit(main())
