// Tools that extensions register for the model.

import { createContext } from "../api/context.mjs";
import { blocksOf, objectOf, textOf } from "../events/messages.mjs";
import { checked } from "./check.mjs";

const LONGEST_MILLISECONDS = 600_000;
const SNIPPET_CHARACTERS = 500;
const RESULTS_KEPT = 500;

export class Tools {
  #bridge;
  #sent = new Map();

  /** The results of the tools of this process, by the id of the call, with details that are not objects too. */
  results = new Map();

  /** The last partial results of the calls that run, by the id of the call. */
  partials = new Map();

  /** @param {import("../api/bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  /** @param {string} name @returns {{extension: any, tool: any} | undefined} the first one of this name */
  find(name) {
    const extension = this.#bridge.extensions.find((each) => each.tools.has(name));
    return extension && { extension, tool: extension.tools.get(name) };
  }

  /** Tells zot about what is new, changed or gone. */
  register() {
    const shown = this.#bridge.extensions.flatMap((each) => [...each.tools.values()].filter((tool) => tool.exposure !== "hidden"));
    const names = new Set(shown.map((tool) => tool.name));
    for (const name of this.#sent.keys()) {
      if (names.has(name)) continue;
      this.#sent.delete(name);
      this.#bridge.wire.send({ type: "unregister_tool", name });
    }
    for (const name of names) {
      const { tool } = this.find(name);
      const frame = {
        type: "register_tool", name, description: tool.description ?? "", schema: tool.parameters ?? { type: "object", properties: {} },
        execution_mode: tool.executionMode === "sequential" ? "sequential" : "parallel", override: true,
        timeout_ms: LONGEST_MILLISECONDS, prepare_args: typeof tool.prepareArguments === "function",
      };
      // A tool that pi does not offer at once is found by the model, or made active by its extension.
      if (tool.defaultActive === false || tool.exposure === "deferred") frame.deferred = true;
      if (tool.namespace?.name) frame.namespace = String(tool.namespace.name).slice(0, 60);
      const lines = [tool.promptSnippet, ...(tool.promptGuidelines ?? [])].filter(Boolean);
      if (lines.length) frame.prompt_snippet = lines.join(" ").slice(0, SNIPPET_CHARACTERS);
      const text = JSON.stringify(frame);
      if (this.#sent.get(name) === text) continue;
      this.#sent.set(name, text);
      this.#bridge.wire.send(frame);
    }
  }

  prepare(frame) {
    const { tool } = this.find(frame.tool_name) ?? {};
    const found = tool?.prepareArguments?.(frame.tool_args);
    return found === undefined ? {} : { modified_args: found };
  }

  take(frame) {
    const bridge = this.#bridge;
    bridge.serve(frame.id, async (request) => {
      const answer = (fields) => {
        request.open = false;
        bridge.wire.send({ type: "tool_result", id: frame.id, ...fields });
      };
      try {
        answer(await this.#execute(frame, request));
      } catch (error) {
        answer({ content: [{ type: "text", text: String(error?.message ?? error) }], is_error: true });
      }
    });
  }

  async #execute(frame, request) {
    const bridge = this.#bridge;
    const found = this.find(frame.name);
    if (found === undefined) throw new Error(`no extension has the tool ${frame.name} any more`);
    const { extension, tool } = found;
    const late = await bridge.running.ended(frame.call_id ?? "");
    if (late) throw new Error(`${frame.name} has not run: ${late}`);
    const args = checked(tool.parameters, frame.args ?? {}, frame.name);
    const { signal } = request.abort;
    const callId = frame.call_id || frame.id;
    const context = createContext(bridge, extension, { signal });
    let result;
    try {
      result = await tool.execute(callId, args, signal, this.#progress(frame.id, callId, tool), context);
    } finally {
      this.partials.delete(callId);
    }
    this.results.set(callId, result);
    if (this.results.size > RESULTS_KEPT) this.results.delete(this.results.keys().next().value);
    const fields = { content: blocksOf(result?.content ?? []) };
    if (result?.details !== undefined && result.details !== null) fields.details = objectOf(result.details);
    if (result?.isError) fields.is_error = true;
    if (result?.terminate) fields.terminate = true;
    return fields;
  }

  /** Partial results replace each other; progress of zot is added to what is there. */
  #progress(id, callId, tool) {
    let before = "";
    return (partial) => {
      this.partials.set(callId, partial);
      const text = textOf(partial?.content);
      const added = text.startsWith(before) ? text.slice(before.length) : `\n${text}`;
      before = text;
      if (added) this.#bridge.wire.send({ type: "tool_progress", id, text: added });
      else if (tool.renderResult) this.#bridge.screen.renderers.again("tool_progress", tool.name);
    };
  }
}
