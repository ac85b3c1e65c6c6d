"""The host of extensions: finds them, starts them, speaks the protocol of `zot_ext` with them.

```text
discover     which extensions there are, and which of them count        (files only)
launch       the command and environment of an extension's process
connection   one process: handshake, frames in and out, requests with limits, its end
process  requests   parts of it: the process, open questions; `zot_agent.lines` reads and writes
log  trace   its log file; `--ext-trace`
registry     who owns which command and tool
panels       the one panel that is open, as data
hooks        what extensions are told and asked while the agent works
tools        a tool of the agent whose work an extension does
member       one extension of the set: brought up, listened to, ended
running      `Extensions`: all of it together, which `Host` holds
```
"""
