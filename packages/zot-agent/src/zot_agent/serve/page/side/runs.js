// Durable runs (zot run): their states, and the questions that they wait with.

import { $, button, made } from "../dom.js";
import { server } from "../server.js";

const AGAIN = 5000; // milliseconds between two looks while the list is unfolded

export class Runs {
  #say;
  #complain;
  #timer = 0;
  #drawn = "";

  // `say` shows a line, `complain` an error.
  constructor(say, complain) {
    this.#say = say;
    this.#complain = complain;
    $("runs").addEventListener("toggle", () => this.#load());
  }

  clear() {
    clearTimeout(this.#timer);
    $("runs").open = false;
    $("run-list").replaceChildren();
    this.#drawn = "";
  }

  async #load() {
    clearTimeout(this.#timer);
    if (!$("runs").open) return;
    const { token } = server;
    try {
      const { runs } = await server.ask("GET", "/runs");
      if (token !== server.token) return;
      const text = JSON.stringify(runs);
      if (text !== this.#drawn) $("run-list").replaceChildren(...runs.map((run) => this.#item(run)));
      this.#drawn = text;
      $("no-runs").hidden = runs.length > 0;
      this.#timer = setTimeout(() => this.#load(), AGAIN);
    } catch (error) {
      if (token === server.token) this.#complain(error);
    }
  }

  #item(run) {
    const item = made("li", "run");
    const state = run.parked ? "parked" : run.state;
    item.append(
      made("span", "name", run.task.split("\n", 1)[0]),
      made("span", "where quiet", [run.id, state, `${run.steps} steps`, run.reason || run.end].filter(Boolean).join(" · ")),
    );
    if (run.question) item.append(this.#question(run));
    return item;
  }

  #question(run) {
    const { call, reason, always } = run.question;
    const form = made("form", "question");
    const why = made("input");
    why.setAttribute("aria-label", `Why not, for the model of ${run.id}`);
    why.placeholder = "Why not";
    const bar = made("div", "tools");
    const answer = (text, word) => {
      const one = button(text, () => this.#answer(run, word, why.value.trim()));
      one.setAttribute("aria-label", `${text}: ${run.id}`);
      bar.append(one);
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    answer("No", "no");
    if (always?.length) answer("Always", "always");
    answer("Yes, this call", "yes");
    form.append(made("p", "call", call), made("p", "quiet", reason));
    if (always?.length) form.append(made("p", "quiet", `Always adds ${always.join(", ")}`));
    form.append(why, bar);
    return form;
  }

  async #answer(run, answer, message) {
    try {
      await server.ask("POST", `/runs/${encodeURIComponent(run.id)}/answer`, { answer, ...(answer === "no" && message ? { message } : {}) });
      this.#say(`${run.id} continues`);
      await this.#load();
    } catch (error) {
      this.#complain(error);
    }
  }
}
