"""The handlers of calls: the method `session.entries` of `zot_ext.protocol.calls` is the function `entries` in
`session`."""
