"""Images of a prompt: their types, and what is refused."""

import base64
import json

import pytest
from rpc_peer import Peer

from zot_core.event_json import image_id
from zot_core.testing import PIXEL
from zot_provider.testing import ScriptedServer

PNG = PIXEL.data


def test_images_reach_the_model_with_the_type_of_their_bytes(peer: Peer, server: ScriptedServer) -> None:
    server.add("I see.")

    assert peer.data("prompt", message="", images=[{"mime_type": "image/jpeg", "data": PNG}]) == {"started": True}
    peer.until("done")

    assert f"data:image/png;base64,{PNG}" in json.dumps(server.requests[0].body)
    (message,) = [line for line in peer.seen if line["type"] == "user_message"]
    assert message["content"] == [
        {"type": "image", "mime_type": "image/png", "bytes": PIXEL.size, "id": image_id(PIXEL.data)}
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("not base64!", "images[0].data is not standard base64"),
        (PNG + "\n", "images[0].data is not standard base64"),
        (base64.b64encode(b"GIF9 is no image").decode(), "images[0].data is not a PNG, JPEG, GIF or WebP image"),
        (
            base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_750_000)).decode(),
            "images[0].data has 5000012 characters; at most 5000000",
        ),
    ],
)
def test_data_that_is_not_an_image_is_refused(peer: Peer, data: str, problem: str) -> None:
    assert problem in peer.error("prompt", message="look", images=[{"mime_type": "image/png", "data": data}])
