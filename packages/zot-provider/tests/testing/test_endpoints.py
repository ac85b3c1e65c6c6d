import pytest

from zot_provider.testing.endpoints import ENDPOINTS, ScriptedEndpoint, missing_part
from zot_provider.wire import WIRES, load_wire


def test_each_wire_has_its_endpoint() -> None:
    paths = {name: load_wire(name).version + load_wire(name).path for name in WIRES}
    assert {endpoint.wire: place for place, endpoint in ENDPOINTS.items() if endpoint.wire} == {
        name: f"POST {path.partition('?')[0]}" for name, path in paths.items()
    }


@pytest.mark.parametrize(
    "endpoint", [endpoint for endpoint in ENDPOINTS.values() if endpoint.wire], ids=lambda e: e.wire
)
def test_a_signed_request_carries_its_key_and_lacks_no_header(endpoint: ScriptedEndpoint) -> None:
    headers = load_wire(endpoint.wire).auth("k")
    assert endpoint.key(headers) == "k"
    assert missing_part(endpoint, headers, dict.fromkeys(endpoint.fields, "x") | {"stream": True}) == ""
    assert missing_part(endpoint, headers, None) == "a JSON object as its body"


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 529])
def test_a_refusal_says_why(status: int) -> None:
    for endpoint in ENDPOINTS.values():
        body = endpoint.error(status, "why")
        assert body.get("error", body)["message"] == "why"
