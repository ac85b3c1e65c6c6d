"""Durable runs by their names: found, begun, cancelled, answered and continued, without a screen and without an engine.

```text
store    the folder of runs: a name leads to a session file, whose rows are the run
options  the options of a run as JSON values, so that another process can continue it
control  cancel, answer and continue a run that may have no process
follow   the rows of a session as lines of text, while another process writes them
service  the unit or job with which the system continues runs after a restart
```
"""
