"""What is wrong with the fields of operations: the same words over each transport."""

from collections.abc import Iterator
from typing import Any

import pytest

from zot_agent.operations.fields import LARGEST, OperationFailed
from zot_agent.operations.registry import all_operations

OPERATIONS = all_operations()
EXAMPLES: dict[str, Any] = {"text": "x", "flag": True, "whole": 1, "list": [], "object": {}, "any": 1}
TEXT = {"type": "string"}
WRONG: dict[str, Any] = {"text": 7, "flag": "x", "whole": True, "list": {}, "object": []}


def faults() -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Each operation with each field missing, of a wrong kind, and too large: the fields, the code and the words."""
    for name, operation in OPERATIONS.items():
        full = {
            each.name: each.kind.schema.get("enum", [EXAMPLES[each.kind.call_kind]])[0] for each in operation.fields
        }
        for field in operation.fields:
            cases = [{**full, field.name: None}] if field.required else []
            cases += [{**full, field.name: WRONG[field.kind.call_kind]}] if field.kind.call_kind in WRONG else []
            cases += (
                [{**full, field.name: "x" * (LARGEST + 1)}]
                if field.kind.schema == TEXT and field.kind.most <= LARGEST
                else []
            )
            for fields in cases:
                with pytest.raises(OperationFailed) as failed:
                    operation.check(fields)
                yield name, fields, failed.value.code, str(failed.value)


FAULTS = tuple(faults())
