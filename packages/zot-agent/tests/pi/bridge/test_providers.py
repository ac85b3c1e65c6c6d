"""Models that an extension written for pi serves itself."""

from collections.abc import Callable

import pytest

from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")


def test_handlers_change_a_request_that_an_extension_sends_itself_and_hear_of_its_answer(
    bridge: Callable[..., FakeHost],
) -> None:
    host = bridge("""
        import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
        export default function (pi) {
          let status = 0;
          const streamSimple = (model, context, options) => {
            const stream = createAssistantMessageEventStream();
            (async () => {
              const sent = (await options.onPayload({ model: model.id }, model)) ?? { model: "as it was" };
              await options.onResponse({ status: 207, headers: {} }, model);
              const text = `${sent.model}, ${options.headers["x-own"]}, ${options.headers["x-added"]}, ${status}`;
              const partial = { role: "assistant", content: [{ type: "text", text }], usage: {}, stopReason: "stop" };
              stream.push({ type: "text_delta", contentIndex: 0, delta: text, partial });
              stream.push({ type: "done", reason: "stop", message: partial });
              stream.end();
            })();
            return stream;
          };
          const models = [{ id: "Short" }];
          pi.registerProvider("near", { api: "near", apiKey: "k", headers: { "x-own": "1" }, models, streamSimple });
          pi.on("before_provider_request", ({ payload }) =>
            (payload.model === "Short" ? { ...payload, model: "/a/long/path" } : undefined));
          pi.on("before_provider_headers", ({ headers }) => { headers["x-added"] = "2"; });
          pi.on("after_provider_response", (event) => { status = event.status; });
        }
    """)
    assert [each.delta for each in host.model_call("near", "Short") if each.event == "text"] == [
        "/a/long/path, 1, 2, 207"
    ]
    assert host.model_call("near", "other")[0].delta == "as it was, 1, 2, 207"
