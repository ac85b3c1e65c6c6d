"""The requests of programs, over `zot rpc`, `zot serve`, ACP and from extensions: each verb is a typed function.

The verbs are in `zot_agent.verbs`; operations of clients about their own screens in `zot_agent.rpc`.

```text
operation, fields, caller    what an operation is, what its fields can be, and on whose behalf it is carried out
registry, names              operations by name; no module of theirs is imported before the first call
answers                      the types of the answers that extensions do not get; others: `zot_ext.protocol`
```
"""
