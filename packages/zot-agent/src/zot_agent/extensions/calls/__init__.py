"""What an extension asks the host for (`host_call`). Nothing of it is imported before an extension is granted a group.

```text
call        `ExtensionCall`: one call and what its handler may use; `CallFailed`
open_calls  `OpenCalls`: the calls of one extension that have no result yet
greeting    the part of `hello_ack` for extensions with calls
ui messages session kv secret control model request
            the handlers: the method `session.entries` of `zot_ext.protocol.calls` is the function `entries`
            in `session`
```
"""
