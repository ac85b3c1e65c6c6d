"""What programs ask of zot, over `zot rpc`, `zot serve`, ACP and from extensions: each verb is a typed function.

```text
operation, fields, caller    what an operation is, what its fields can be, and on whose behalf it is carried out
registry, names              operations by name; no module of theirs is imported before the first call
session, entries, stored     the session of the conversation, its entries, and stored sessions
answers, stored_answers      the types of the answers that extensions do not get; others: `zot_ext.protocol.answers`
```
"""
