// The question before a tool call: the first answer of any client counts.

import { made } from "./log.js";

const $ = (id) => document.getElementById(id);

// What cannot be seen as escapes: nothing of what a person allows may be hidden.
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u3164\uffa0]/gu;
const reveal = (text) => text.replace(HIDDEN, (each) => `\\u{${each.codePointAt(0).toString(16)}}`);

const written = (value) => reveal(typeof value === "string" ? value : JSON.stringify(value));

export class Permission {
  #send;
  #open = null;

  // `send` sends a command.
  constructor(send) {
    this.#send = send;
    $("permission").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#answer(event.submitter?.value ?? "no");
    });
  }

  // Show a request, or nothing.
  show(request) {
    this.#open = request;
    $("permission").hidden = !request;
    if (!request) return;
    $("permission-title").textContent = reveal(`Run ${request.name}?`);
    $("permission-reason").textContent = reveal(request.reason);
    $("permission-args").replaceChildren(
      ...Object.entries(request.args).flatMap(([name, value]) => [made("dt", "", reveal(name)), made("dd", "", written(value))]),
    );
    $("permission-rules").replaceChildren(...request.rules.map((rule) => made("li", "", reveal(rule))));
    $("permission-always").hidden = $("permission-adds").hidden = !request.rules.length;
    $("permission-why").value = "";
  }

  // A request is over, also if another client has answered it.
  resolved(id) {
    if (this.#open?.request === id) this.show(null);
  }

  #answer(answer) {
    if (!this.#open) return;
    const message = answer === "no" ? $("permission-why").value.trim() : "";
    this.#send({ type: "permission_response", request: this.#open.request, answer, ...(message ? { message } : {}) });
    this.show(null);
    $("message").focus();
  }
}
