"""Another machine that an extension offers to zot's own tools. Nothing of it is imported before one does.

```text
claims      `MachineClaims`: which extension has the tools, and since when they use its machine
operations  `MachineOps`: one operation, from the question to the answer
remote      `RemoteFiles`, `RemoteShell`: the protocols of `zot_core.machine.interface`, made of operations
```
"""
