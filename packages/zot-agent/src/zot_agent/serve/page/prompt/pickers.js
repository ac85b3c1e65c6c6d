// The model, how much it thinks, what becomes of tool calls, and what it all costs.

import { $, made } from "../dom.js";
import { choose } from "./window.js";

const MODES = ["ask", "accept-edits", "plan", "yolo"];

const short = (count) => (count >= 1e6 ? `${(count / 1e6).toFixed(1)}M` : count >= 1000 ? `${Math.round(count / 1000)}k` : String(count));

function fill(field, values, now) {
  field.replaceChildren(...[...new Set([...values, now])].map((each) => new Option(each, each, false, each === now)));
}

export class Pickers {
  #session = null;
  #models = null;
  #state = {};

  constructor() {
    $("pick-model").addEventListener("click", () => this.models());
    $("pick-reasoning").addEventListener("change", () => this.#set("set_reasoning", { reasoning: $("pick-reasoning").value }));
    $("pick-mode").addEventListener("change", () => this.#set("set_permission_mode", { mode: $("pick-mode").value }));
  }

  opened(session) {
    this.#session = session;
    this.#models = null;
    this.#usage(this.#state.usage);
    this.#levels();
  }

  closed() {
    this.#session = null;
    this.#state = {};
    $("usage").textContent = "";
  }

  state(state) {
    this.#state = state;
    $("pick-model").textContent = `${state.provider}/${state.model}`;
    fill($("pick-reasoning"), [], state.reasoning_used);
    fill($("pick-mode"), MODES, state.permission_mode);
    this.#usage(state.usage);
    this.#levels();
  }

  take(event) {
    if (event.type === "usage") this.#usage(event.cumulative);
  }

  #usage(usage) {
    if (!usage) return;
    const read = usage.input + usage.cache_read + usage.cache_write;
    const cost = usage.cost_usd === null ? "" : ` · $${usage.cost_usd.toFixed(3)}`;
    $("usage").textContent = read + usage.output ? `${short(read)} tokens read, ${short(usage.output)} written${cost}` : "";
  }

  async #load() {
    this.#models ??= this.#session.ask("list_models_all").then(({ models }) => models, () => []);
    return this.#models;
  }

  // Offer the levels that this model has.
  async #levels() {
    const session = this.#session;
    const { provider, model, reasoning_used: level } = this.#state;
    if (!session || !model) return;
    const found = (await this.#load()).find((each) => each.id === model && each.provider === provider);
    if (session === this.#session && found) fill($("pick-reasoning"), found.reasoning_levels, level);
  }

  async #set(type, fields) {
    if (await this.#session?.attempt(type, fields)) this.#session.refresh();
    else this.state(this.#state);
  }

  models() {
    const session = this.#session;
    if (!session) return;
    const rows = async () => (await session.ask("list_models_all", { ready: true })).models.map((each) => ({
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
