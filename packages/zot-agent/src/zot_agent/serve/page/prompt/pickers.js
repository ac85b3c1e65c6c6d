// The model, how much it thinks, what becomes of tool calls, and what it all costs.

import { $, made } from "../dom.js";
import { cost, read, short } from "../log/amounts.js";
import { choose } from "./window.js";

const MODES = ["ask", "accept-edits", "plan", "yolo"];
const SANDBOXES = { off: "no sandbox", on: "sandbox" };

// Show these values; a list that is open stays open if they are the same.
function fill(field, values, now) {
  const all = [...new Set([...values, now])];
  if (all.join() !== [...field.options].map(({ value }) => value).join()) field.replaceChildren(...all.map((each) => new Option(each)));
  field.value = now;
}

export class Pickers {
  #session = null;
  #state = {};

  constructor() {
    $("pick-model").addEventListener("click", () => this.models());
    $("pick-reasoning").addEventListener("change", () => this.#set("set_reasoning", { reasoning: $("pick-reasoning").value }));
    $("pick-mode").addEventListener("change", () => this.#set("permissions.mode", { mode: $("pick-mode").value }));
  }

  opened(session) {
    this.#session = session;
    this.#usage(this.#state.usage);
  }

  closed() {
    this.#session = null;
    this.#state = {};
    $("usage").textContent = "";
  }

  state(state) {
    this.#state = state;
    $("pick-model").textContent = `${state.provider}/${state.model}`;
    fill($("pick-reasoning"), state.reasoning_levels, state.reasoning_used);
    fill($("pick-mode"), MODES, state.permission_mode);
    this.#usage(state.usage);
  }

  take(event) {
    if (event.type === "usage") this.#usage(event.cumulative);
  }

  #usage(usage) {
    if (!usage) return;
    const { sandbox } = this.#state;
    const words = sandbox ? [SANDBOXES[sandbox] ?? `${sandbox} sandbox`] : []; // an event may be here before the state
    if (read(usage) + usage.output) words.push(`${short(read(usage))} tokens read, ${short(usage.output)} written`, ...cost(usage));
    $("usage").textContent = words.join(" · ");
  }

  async #set(type, fields) {
    if (await this.#session?.attempt(type, fields)) this.#session.refresh();
    else this.state(this.#state);
  }

  models() {
    const session = this.#session;
    if (!session) return;
    const rows = async () => (await session.ask("model.list", { scope: "ready" })).models.map((each) => ({
      id: `${each.provider}/${each.id}`,
      label: each.name || each.id,
      detail: [`${each.provider}/${each.id}`, each.context_window && `${short(each.context_window)} tokens`].filter(Boolean).join(" · "),
    }));
    const now = `${this.#state.provider}/${this.#state.model}`;
    choose("Model", rows, now, (id) => {
      const [provider, ...rest] = id.split("/");
      this.#set("set_model", { model: rest.join("/"), provider });
    });
  }
}
