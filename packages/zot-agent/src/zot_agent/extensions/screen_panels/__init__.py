"""Panels that extensions draw themselves, in the group `panels2`; loaded with the first of them.

```text
layout  where a panel is on a screen; pure
owner   what panels know of extensions
owned   one open panel
panels  `ScreenPanels`: all of them: keys, focus, time limits
```
"""
