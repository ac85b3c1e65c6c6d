// The question before a tool call.

import { $, made } from "../dom.js";
import { Questions } from "./questions.js";

// What cannot be seen as escapes: nothing of what a person allows may be hidden.
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u3164\uffa0]/gu;
const reveal = (text) => text.replace(HIDDEN, (each) => `\\u{${each.codePointAt(0).toString(16)}}`);

const written = (value) => reveal(typeof value === "string" ? value : JSON.stringify(value));

export class Permission extends Questions {
  constructor() {
    super();
    $("permission").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.open) return;
      const answer = event.submitter?.value ?? "no";
      const message = answer === "no" ? $("permission-why").value.trim() : "";
      this.answer({ type: "permissions.answer", answer, ...(message ? { message } : {}) });
    });
  }

  draw(request) {
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
}
