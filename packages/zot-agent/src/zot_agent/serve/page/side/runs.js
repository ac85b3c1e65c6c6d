// Durable runs (zot run), of this machine and of a fleet: their states, the questions that they wait with, and what a person
// may do with them.

import { $, button, made } from "../dom.js";
import { server } from "../server.js";

const AGAIN = 5000; // milliseconds between two looks while the list is unfolded
// The states of runs that are over, and of those that a person may let continue, of a fleet and of this machine.
const OVER = { fleet: ["done", "cancelled", "failed", "stopped"], local: ["done", "cancelled"] };
const PAUSED = { fleet: ["parked"], local: ["failed", "interrupted", "parked", "stopped"] };
const SAID = { answer: "continues", cancel: "ends", retry: "continues", steer: "gets the message" };

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
      const { runs, fleet } = await server.ask("GET", "/runs");
      const all = fleet ? [...(await this.#fleet()), ...runs] : runs;
      if (token !== server.token) return;
      this.#draw(all);
      this.#timer = setTimeout(() => this.#load(), AGAIN);
    } catch (error) {
      if (token === server.token) this.#complain(error);
    }
  }

  // The runs of the fleet. When it does not answer, a line in the list says so, and the other runs are shown.
  async #fleet() {
    try {
      const { runs } = await server.ask("GET", "/runs?fleet=1");
      return runs.map((run) => ({ ...run, fleet: true }));
    } catch (error) {
      return [{ failed: error.message }];
    }
  }

  // Draw the list if it has changed. What a person types in it stays, and so does the focus.
  #draw(runs) {
    const text = JSON.stringify(runs);
    if (text === this.#drawn) return;
    const label = (element) => element.getAttribute("aria-label");
    const typed = new Map([...$("run-list").querySelectorAll("input")].map((input) => [label(input), input.value]));
    const focused = $("run-list").contains(document.activeElement) ? label(document.activeElement) : null;
    $("run-list").replaceChildren(...runs.map((run) => this.#item(run)));
    for (const element of $("run-list").querySelectorAll("input, button")) {
      if (element.tagName === "INPUT") element.value = typed.get(label(element)) ?? "";
      if (focused && label(element) === focused) element.focus();
    }
    this.#drawn = text;
    $("no-runs").hidden = runs.length > 0;
  }

  #item(run) {
    if (run.failed) return made("li", "run quiet", run.failed);
    const item = made("li", "run");
    const state = run.parked ? "parked" : run.state;
    const cost = run.cost ? `$${run.cost.toFixed(4)}` : "";
    const reason = run.question ? "" : run.reason || run.end; // the question says the same
    const about = [run.id, state, `${run.steps} steps`, cost, run.owner, reason];
    item.append(
      made("span", "name", run.task.split("\n", 1)[0] || run.id),
      made("span", "where quiet", about.filter(Boolean).join(" · ")),
    );
    if (run.question) item.append(this.#question(run));
    if (!OVER[run.fleet ? "fleet" : "local"].includes(state)) item.append(this.#verbs(run, state));
    return item;
  }

  #verbs(run, state) {
    const form = made("form", "verbs");
    const bar = made("div", "tools");
    form.addEventListener("submit", (event) => event.preventDefault());
    if (run.fleet) {
      const text = made("input");
      text.setAttribute("aria-label", `Message to ${run.id}`);
      text.placeholder = "Message for its next step";
      const send = () => text.value.trim() && this.#do(run, "steer", { text: text.value }, () => { text.value = ""; });
      form.addEventListener("submit", send);
      form.append(text);
      this.#verb(bar, run, "Send", send);
    }
    if (PAUSED[run.fleet ? "fleet" : "local"].includes(state)) this.#verb(bar, run, "Continue", () => this.#do(run, "retry"));
    this.#verb(bar, run, "Cancel", () => confirm(`End ${run.id} for good?`) && this.#do(run, "cancel"));
    form.append(bar);
    return form;
  }

  #verb(bar, run, text, pressed) {
    const one = button(text, pressed);
    one.setAttribute("aria-label", `${text}: ${run.id}`);
    bar.append(one);
  }

  #question(run) {
    const { call, reason, always } = run.question;
    const form = made("form", "question");
    const why = made("input");
    why.setAttribute("aria-label", `Why not, for the model of ${run.id}`);
    why.placeholder = "Why not";
    const bar = made("div", "tools");
    const answer = (text, answer) => this.#verb(bar, run, text, () => {
      const message = answer === "no" ? why.value.trim() : "";
      this.#do(run, "answer", { answer, ...(message ? { message } : {}) });
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    answer("No", "no");
    if (always?.length) answer("Always", "always");
    answer("Yes, this call", "yes");
    form.append(made("p", "call", call), made("p", "quiet", reason));
    if (always?.length) form.append(made("p", "quiet", `Always adds ${always.join(", ")}`));
    form.append(why, bar);
    return form;
  }

  async #do(run, verb, body, done) {
    try {
      await server.ask("POST", `/runs/${encodeURIComponent(run.id)}/${verb}${run.fleet ? "?fleet=1" : ""}`, body);
      done?.();
      this.#say(`${run.id} ${SAID[verb]}`);
      await this.#load();
    } catch (error) {
      this.#complain(error);
    }
  }
}
