from pydantic import TypeAdapter

from zot_provider.record import Record, field


def test_pydantic_reads_records_whether_one_was_made_or_not() -> None:
    class Fresh(Record):
        size: int = field(metadata={"description": "how large"})

    adapter = TypeAdapter(Fresh)

    assert adapter.validate_python({"size": 3}) == Fresh(3)
    assert adapter.json_schema()["required"] == ["size"]
