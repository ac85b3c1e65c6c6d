"""The host of extensions: finds them, starts them, and speaks the protocol of `zot_ext` with them.

```text
discover     which extensions exist, and which of them are active        (files only)
launch       the command line and environment of an extension's process
connection   one process: handshake, frames in and out, requests with time limits, its end
pipes  process  requests   parts of a connection: frames on pipes, the process, the open requests
log  trace   the log file of an extension; the trace of all frames (`--ext-trace`)
registry     which extension owns which command and tool
panels       the open panels, as data
hooks        passes events to extensions and asks their interceptors while the agent works
tools        a tool of the agent that an extension runs
managed      `ManagedExtension`: one extension of a set, from its start to its end
host         `Extensions`: all extensions of one agent
```
"""
