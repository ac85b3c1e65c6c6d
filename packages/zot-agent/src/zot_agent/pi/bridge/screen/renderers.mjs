// How tools and messages of extensions look in the conversation.

import { NO_DATA } from "../api/sessions.mjs";
import { textOf } from "../events/messages.mjs";

const ITEMS_KEPT = 500;

export class Renderers {
  #screen;
  #registered = new Set();
  #items = new Map();

  /** How keys are called, for what is drawn. */
  #hints = {};

  /** @param {import("./screen.mjs").Screen} screen */
  constructor(screen) {
    this.#screen = screen;
  }

  /** Names to zot what extensions draw. */
  register() {
    const { bridge } = this.#screen;
    if (!bridge.hasScreen) return;
    const wanted = new Set();
    for (const extension of bridge.extensions) {
      for (const tool of extension.tools.values()) {
        if (tool.renderCall) wanted.add(`tool_call ${tool.name}`);
        if (tool.renderResult) wanted.add(`tool_result ${tool.name}`).add(`tool_progress ${tool.name}`);
      }
      for (const type of extension.messageRenderers.keys()) wanted.add(`message ${type}`);
      for (const type of extension.entryRenderers.keys()) wanted.add(`entry ${type}`);
      if (extension.markdownTransformer) wanted.add("markdown answer");
    }
    for (const each of wanted) {
      if (this.#registered.has(each)) continue;
      this.#registered.add(each);
      const [kind, ...name] = each.split(" ");
      bridge.wire.call("renderers.register", { kind, name: name.join(" ") }, { parent: false }).catch(() => this.#registered.delete(each));
    }
  }

  /** Has everything drawn again. */
  allAgain() {
    for (const each of this.#registered) {
      const [kind, ...name] = each.split(" ");
      this.again(kind, name.join(" "));
    }
  }

  /** Has what is registered under a kind and a name drawn again. */
  again(kind, name) {
    if (this.#registered.has(`${kind} ${name}`)) this.#screen.bridge.wire.call("renderers.again", { kind, name }, { parent: false }).catch(() => {});
  }

  take(frame) {
    const { bridge } = this.#screen;
    bridge.serve(frame.id, async (request) => {
      if (frame.kind === "markdown") {
        request.open = false;
        bridge.wire.send({ type: "event_intercept_response", id: frame.id, text: this.#markdown(frame) });
        return;
      }
      let lines = null;
      try {
        await this.#screen.loadTui();
        const { keyHint, keyText } = await import("../shims/widgets.mjs"); // only what draws needs the terminal library
        this.#hints = { keyHint, keyText };
        const component = this.#component(frame);
        lines = component?.render(frame.width) ?? null;
      } catch (error) {
        console.error(error);
      }
      request.open = false;
      bridge.wire.send({ type: "event_intercept_response", id: frame.id, lines });
    });
  }

  #component(frame) {
    if (frame.kind === "message") return this.#message(frame);
    return frame.kind === "entry" ? this.#entry(frame) : this.#tool(frame);
  }

  /** The Markdown to show: each transformer gets what the one before it has made; one that fails changes nothing. */
  #markdown({ text, width }) {
    const context = { messageType: "assistant", isStreaming: false, availableWidth: width };
    let shown = text ?? "";
    for (const { markdownTransformer } of this.#screen.bridge.extensions) {
      try {
        shown = markdownTransformer?.(shown, context) ?? shown;
      } catch (error) {
        console.error(error);
      }
    }
    return shown;
  }

  #entry(frame) {
    const { bridge } = this.#screen;
    const renderer = bridge.extensions.map((each) => each.entryRenderers.get(frame.name)).find(Boolean);
    const data = frame.data?.pi === NO_DATA.pi ? undefined : frame.data;
    const entry = { type: "custom", id: frame.item, parentId: null, timestamp: new Date().toISOString(), customType: frame.name, data };
    return renderer?.(entry, { expanded: frame.expanded === true, ...this.#hints }, this.#screen.theme);
  }

  #message(frame) {
    const { bridge } = this.#screen;
    const renderer = bridge.extensions.map((each) => each.messageRenderers.get(frame.name)).find(Boolean);
    const stored = () => bridge.sessions.getBranch().findLast((each) => each.customType === frame.name && textOf(each.content) === frame.text);
    const details = bridge.details.get(`${frame.name}\0${frame.text}`) ?? stored()?.details;
    const message = { role: "custom", customType: frame.name, content: frame.text, display: true, details, timestamp: Date.now() };
    return renderer?.(message, { expanded: frame.expanded === true, outputPad: 1, ...this.#hints }, this.#screen.theme);
  }

  #tool(frame) {
    const { tool } = this.#screen.bridge.tools.find(frame.name) ?? {};
    if (!tool) return undefined;
    const item = this.#itemOf(frame.item);
    const running = frame.state === "running";
    const slot = frame.kind === "tool_call" ? "tool_call" : "tool_result"; // a partial result is in the place of the result
    const redraw = () => this.again(frame.kind, frame.name);
    const context = {
      args: frame.args ?? {}, toolCallId: frame.item, invalidate: redraw, lastComponent: item[slot], state: item.state,
      cwd: this.#screen.bridge.cwd, executionStarted: true, argsComplete: true, isPartial: running,
      expanded: frame.expanded === true, showImages: false, isError: !running && frame.state !== "ok", ...this.#hints,
    };
    if (frame.kind === "tool_call") return (item.tool_call = tool.renderCall?.(frame.args ?? {}, this.#screen.theme, context));
    const result = running ? this.#partialOf(frame) : this.#resultOf(frame);
    const options = { expanded: frame.expanded === true, isPartial: running };
    return (item.tool_result = tool.renderResult?.(result, options, this.#screen.theme, context));
  }

  #itemOf(id) {
    if (!this.#items.has(id)) this.#items.set(id, { state: {} });
    if (this.#items.size > ITEMS_KEPT) this.#items.delete(this.#items.keys().next().value);
    return this.#items.get(id);
  }

  #partialOf(frame) {
    return this.#screen.bridge.tools.partials.get(frame.item) ?? { content: [{ type: "text", text: frame.text ?? "" }], details: {} };
  }

  /** The result of a call: as the tool has returned it, or from the session. */
  #resultOf(frame) {
    const { bridge } = this.#screen;
    const known = bridge.tools.results.get(frame.item);
    if (known) return known;
    const content = [{ type: "text", text: frame.text ?? "" }];
    const stored = bridge.sessions.getBranch().find((each) => each.type === "message" && each.message.toolCallId === frame.item);
    return { content, details: stored?.message.details ?? {} }; // pi gives failed calls empty ones
  }
}
