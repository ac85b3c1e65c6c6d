// The message field, as extensions read and change it. What a person has typed meanwhile, or is composing, stays.

import { $, characters, units } from "../dom.js";

const OFTEN = 1000; // milliseconds between two messages that the person types here

export class Field {
  #session = null;
  #told = 0;
  #composing = false;

  constructor() {
    const field = $("message");
    field.addEventListener("input", () => this.#typed());
    field.addEventListener("compositionstart", () => { this.#composing = true; });
    field.addEventListener("compositionend", () => { this.#composing = false; });
  }

  opened(session) {
    this.#session = session;
    this.#told = 0;
    this.#typed();
  }

  closed() { this.#session = null; }

  // Of several clients that in which the person typed last counts.
  #typed() {
    const now = Date.now();
    if (!this.#session?.ready || now - this.#told < OFTEN) return;
    this.#told = now;
    this.#session.ask("use_field").catch(() => {});
  }

  async take({ type, request, method, text, cursor, expected }) {
    if (type !== "ext_field_request") return;
    const field = $("message");
    if (method !== "read") {
      try {
        await this.#session?.ask("ext_field_claim", { request });
      } catch {
        return; // it comes too late, and nobody waits for it
      }
    }
    const busy = method !== "read" && (this.#composing || (expected !== undefined && field.value !== expected));
    if (!busy && method === "edit") this.#edit(text, cursor);
    if (!busy && method === "paste") field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    if (!busy && method !== "read") field.dispatchEvent(new Event("changed"));
    const at = characters(field.value, field.selectionStart);
    this.#session?.ask("ext_field_response", { request, text: field.value, cursor: at, busy }).catch(() => {});
  }

  #edit(text, cursor) {
    $("message").value = text;
    const at = units(text, cursor);
    $("message").setSelectionRange(at, at);
  }
}
