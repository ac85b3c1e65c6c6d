"""The panels of extensions, as data: a front end draws them and passes on their keys.

```text
layout  where a panel is on a screen; pure
panel   one open panel that an extension draws itself, in the group `panels2`; loaded with the first of them
panels  `Panels`: all of them: keys, focus, time limits
text    one open panel of lines of text
```
"""
