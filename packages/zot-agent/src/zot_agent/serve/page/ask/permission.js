// The question before a tool call: the first answer of any client counts.

import { $, made } from "../dom.js";

// What cannot be seen as escapes: nothing of what a person allows may be hidden.
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u3164\uffa0]/gu;
const reveal = (text) => text.replace(HIDDEN, (each) => `\\u{${each.codePointAt(0).toString(16)}}`);

const written = (value) => reveal(typeof value === "string" ? value : JSON.stringify(value));

export class Permission {
  #session = null;
  #waiting = []; // the first one is shown

  constructor() {
    $("permission").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#answer(event.submitter?.value ?? "no");
    });
  }

  // The questions of this session.
  of(session) {
    this.#session = session;
    return this;
  }

  // Show these requests, one after the other, in place of all others.
  show(requests) {
    const shown = this.#waiting[0]?.request;
    this.#waiting = [...requests];
    if (shown !== this.#waiting[0]?.request) this.#draw(); // else a person may have begun to answer
  }

  add(request) {
    this.#waiting.push(request);
    if (this.#waiting.length === 1) this.#draw();
  }

  // A request is over, also if another client has answered it.
  resolved(id) {
    const shown = this.#waiting[0]?.request;
    this.#waiting = this.#waiting.filter(({ request }) => request !== id);
    if (shown === id) this.#draw();
  }

  #draw() {
    const [request] = this.#waiting;
    $("permission").hidden = !request;
    if (!request) return;
    const who = request.agent_id ? `Sub-agent ${request.agent_id}: run` : "Run";
    $("permission-title").textContent = reveal(`${who} ${request.name}?`);
    $("permission-reason").textContent = reveal(request.reason);
    $("permission-args").replaceChildren(
      ...Object.entries(request.args).flatMap(([name, value]) => [made("dt", "", reveal(name)), made("dd", "", written(value))]),
    );
    $("permission-rules").replaceChildren(...request.rules.map((rule) => made("li", "", reveal(rule))));
    $("permission-always").hidden = $("permission-adds").hidden = !request.rules.length;
    $("permission-why").value = "";
  }

  #answer(answer) {
    const [open] = this.#waiting;
    if (!open) return;
    const message = answer === "no" ? $("permission-why").value.trim() : "";
    this.#session.send({ type: "permission_response", request: open.request, answer, ...(message ? { message } : {}) });
    this.resolved(open.request);
    $("message").focus();
  }
}
