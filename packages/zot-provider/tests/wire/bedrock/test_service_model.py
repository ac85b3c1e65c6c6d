"""Bodies and streams, compared with botocore: its description of the service, and its reader of event streams."""

import json
from typing import Any, get_args

import pytest
from botocore.eventstream import EventStreamBuffer
from botocore.model import Shape
from botocore.parsers import create_parser
from botocore.session import Session
from botocore.validate import ParamValidator
from hypothesis import given
from hypothesis import strategies as st

from wire_cases import CONVERSATIONS
from zot_provider.catalog import list_models
from zot_provider.providers import PROVIDERS
from zot_provider.request import Reasoning
from zot_provider.testing import Call, Turn
from zot_provider.testing.render import render
from zot_provider.usage import Usage
from zot_provider.wire.base import Quirks
from zot_provider.wire.bedrock import WIRE
from zot_provider.wire.bedrock.event_stream import EventStreamSplitter

OPERATION = Session().get_service_model("bedrock-runtime").operation_model("ConverseStream")
MODELS = ["m-1", "anthropic.claude-opus-5-5", "us-gov.anthropic.claude-sonnet-4-5", "openai.gpt-oss-120b-1:0"]


def unknown(value: Any, shape: Shape) -> list[str]:
    """The fields of a body that the service does not have."""
    if shape.type_name == "list":
        return [name for item in value for name in unknown(item, shape.member)]
    if shape.type_name != "structure" or shape.is_document_type:
        return []
    return [
        name
        for field, inner in value.items()
        for name in (unknown(inner, shape.members[field]) if field in shape.members else [field])
    ]


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("id", MODELS)
def test_a_body_is_what_the_service_takes(id: str, conversation: str) -> None:
    request = CONVERSATIONS[conversation]
    body = WIRE.encode(request.replace(model=request.model.replace(id=id)), Quirks())
    report = ParamValidator().validate(body | {"modelId": id}, OPERATION.input_shape)
    assert not report.has_errors(), report.generate_report()
    assert unknown(body, OPERATION.input_shape) == []


@pytest.mark.parametrize("level", get_args(Reasoning))
def test_each_model_is_asked_at_each_level_as_the_service_describes(level: Reasoning) -> None:
    (provider,) = [provider for provider in PROVIDERS if provider.wire == WIRE.name]
    models = list_models(provider)
    assert models != []
    for model in models:
        request = CONVERSATIONS["a tool runs and the user goes on"].replace(model=model, reasoning=level)
        body = WIRE.encode(request, Quirks())
        report = ParamValidator().validate(body | {"modelId": "m"}, OPERATION.input_shape)
        assert not report.has_errors(), report.generate_report()
        asked = body.get("additionalModelRequestFields", {})
        assert ("thinking" in asked) <= ("claude" in model.id)


TURNS = st.builds(
    Turn,
    st.text(max_size=20),
    st.text(max_size=20),
    st.lists(st.just(Call("read", {"path": "ä"}, "c1")), max_size=1),
    usage=st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    error=st.sampled_from([None, OSError("disk full")]),
)


@given(TURNS)
def test_a_scripted_stream_is_what_botocore_reads(turn: Turn) -> None:
    parser, shape = create_parser("rest-json").EVENT_STREAM_PARSER_CLS(), OPERATION.output_shape.members["stream"]
    buffer, splitter = EventStreamBuffer(), EventStreamSplitter()
    for message in render(turn, WIRE.name):
        buffer.add_data(message)
        (event,), (data,) = list(buffer), splitter.feed(message)
        found = event.to_response_dict()
        read = parser.parse(found, shape)
        ours = json.loads(data)
        if found["status_code"] == 400:
            assert ours == {"failure": {"code": read["Error"]["Code"], "body": {"message": read["Error"]["Message"]}}}
        else:
            assert ours == read
