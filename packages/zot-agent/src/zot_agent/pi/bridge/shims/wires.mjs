// Requests to a model server that an extension chooses itself, with a key of its own. zot does not make them: the package
// `pi-ai` does, which must be there: in the folder of the extension, or beside the modules of the bridge.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createAssistantMessageEventStream, emptyAnswer } from "./ai.mjs";
import { modulesFolder } from "../load/modules.mjs";

const PACKAGE = "@earendil-works/pi-ai";

/** @param {string} wire a module of `pi-ai/api` @returns {Promise<any>} */
async function published(wire) {
  const { entries = [] } = globalThis[Symbol.for("zot.pi.bridge")];
  for (const place of [...entries, `${modulesFolder()}/package.json`]) {
    const paths = createRequire(place).resolve.paths(PACKAGE) ?? [];
    for (const folder of paths) {
      try {
        return await import(pathToFileURL(`${folder}/${PACKAGE}/dist/api/${wire}.js`).href);
      } catch (error) {
        if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes(PACKAGE)) throw error;
      }
    }
  }
  throw new Error(`this needs the npm package ${PACKAGE}: run npm install ${PACKAGE} in the folder of the extension`);
}

/** A function of the wire, at once; its module is loaded when it is called. */
function relayed(wire, name) {
  return (model, context, options) => {
    const stream = createAssistantMessageEventStream();
    (async () => {
      try {
        for await (const event of (await published(wire))[name](model, context, options)) stream.push(event);
        stream.end();
      } catch (error) {
        const failed = { ...emptyAnswer(model), stopReason: "error", errorMessage: error.message };
        stream.push({ type: "error", reason: "error", error: failed });
      }
    })();
    return stream;
  };
}

const wire = (name) => ({ stream: relayed(name, "stream"), streamSimple: relayed(name, "streamSimple") });
const [anthropic, responses, completions, google] = [
  "anthropic-messages", "openai-responses", "openai-completions", "google-generative-ai",
].map(wire);

export const anthropicMessagesApi = () => anthropic;
export const openAIResponsesApi = () => responses;
export const openAICompletionsApi = () => completions;
export const googleGenerativeAIApi = () => google;
export const { stream: streamAnthropic, streamSimple: streamSimpleAnthropic } = anthropic;
export const { stream: streamOpenAIResponses, streamSimple: streamSimpleOpenAIResponses } = responses;
export const { stream: streamOpenAICompletions, streamSimple: streamSimpleOpenAICompletions } = completions;
export const { stream: streamGoogle, streamSimple: streamSimpleGoogle } = google;
