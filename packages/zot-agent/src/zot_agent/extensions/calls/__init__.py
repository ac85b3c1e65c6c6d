"""The calls that an extension makes (`host_call`). Nothing of it is imported before an extension is granted a group.

```text
call        `ExtensionCall`: one call and what its handler may use
open_calls  `OpenCalls`: the calls of one extension that have no result yet
widgets     `OwnWidgets`: what one extension shows
greeting    the part of `hello_ack` for extensions with calls
question    `ask`: asks an extension about something that it has registered
methods     the handlers, a module for the first word of their names
```
"""
