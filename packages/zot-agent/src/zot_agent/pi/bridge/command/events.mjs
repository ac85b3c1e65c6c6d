// The events that `zot --json` prints, as `pi --mode json` prints them. Deltas are left out.

import { argumentsOf, contentOf, detailsOf, toMessages } from "../events/messages.mjs";

export class Translation {
  #provider;
  #model;
  #messages = [];
  #answer = null;
  #usage = {};
  #step = 0;
  #begun = false;

  /** @param {string} model that was asked for, with or without its provider */
  constructor(model) {
    const at = model.indexOf("/");
    [this.#provider, this.#model] = [model.slice(0, Math.max(at, 0)), model.slice(at + 1)];
  }

  /** @param {any} event of zot @returns {any[]} events of pi */
  take(event) {
    switch (event.type) {
      case "user_message":
        return [...this.#begin(), ...this.#ended(toMessages({ ...event, role: "user" }))];
      case "turn_start":
        this.#step = event.step - 1;
        return [...this.#begin(), { type: "turn_start", turnIndex: this.#step, timestamp: Date.now() }];
      case "usage":
        this.#usage = event;
        return [];
      case "assistant_message":
        this.#answer = event;
        return [];
      case "turn_end":
        return this.#turn(event.stop);
      case "tool_call":
        return [{ type: "tool_execution_start", toolCallId: event.id, toolName: event.name, args: argumentsOf(event.args) }];
      case "tool_result":
        return this.#result(event);
      case "error":
        return this.#failed(event.message ?? "");
      case "done":
        return [{ type: "agent_end", messages: this.#messages }];
    }
    return [];
  }

  #begin() {
    if (this.#begun) return [];
    this.#begun = true;
    return [{ type: "agent_start" }];
  }

  #ended(messages) {
    this.#messages.push(...messages);
    return messages.flatMap((message) => [{ type: "message_start", message }, { type: "message_end", message }]);
  }

  #turn(stop) {
    const meta = { provider: this.#provider, model: this.#model, usage: this.#usage, stop };
    const made = this.#answer ? toMessages({ ...this.#answer, role: "assistant", meta }) : [];
    this.#answer = null;
    return [...this.#ended(made), { type: "turn_end", turnIndex: this.#step, message: made[0], toolResults: [] }];
  }

  #result(event) {
    const content = contentOf(event.content);
    const isError = event.is_error === true;
    const details = detailsOf(event.details);
    const told = { toolCallId: event.id, toolName: event.name, isError };
    const message = { role: "toolResult", ...told, content, details, timestamp: Date.now() };
    return [{ type: "tool_execution_end", ...told, result: { content, details } }, ...this.#ended([message])];
  }

  #failed(errorMessage) {
    const meta = { provider: this.#provider, model: this.#model, usage: {}, stop: "error" };
    const [message] = toMessages({ role: "assistant", content: [], time: new Date().toISOString(), meta });
    return this.#ended([{ ...message, errorMessage }]);
  }
}
