// The settings of the person who runs zot serve, for new sessions.

import { $, made } from "../dom.js";
import { server } from "../server.js";


const shown = (value) => (Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value));

function read(text, { default: like }) {
  if (typeof like === "string") return text;
  if (Array.isArray(like)) return text.split(",").map((each) => each.trim()).filter(Boolean);
  try {
    return JSON.parse(text);
  } catch {
    return text; // such as off, in place of a number
  }
}

export class Settings {
  // `say` shows a line, `complain` an error.
  constructor(say, complain) {
    this.say = say;
    this.complain = complain;
    this.rows = [];
    $("settings").addEventListener("toggle", () => { if ($("settings").open) this.ask("GET"); });
    $("setting").addEventListener("change", () => this.choose());
    $("setting-form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.chosen) this.change(read($("value").value.trim(), this.chosen));
    });
    $("default").addEventListener("click", () => { if (this.chosen) this.change(null); });
  }

  clear() {
    this.rows = [];
    $("settings").open = false;
    $("value").value = "";
    for (const id of ["setting", "choices", "setting-help"]) $(id).replaceChildren();
  }

  get chosen() { return this.rows.find((each) => each.key === $("setting").value); }

  async change(value) {
    const { key } = this.chosen;
    if (!await this.ask("PATCH", { [key]: value })) return;
    this.say(`${key} is ${shown(this.chosen.value) || "empty"} for new sessions`);
  }

  // Ask for the settings, or change some, and show them. Returns whether that worked.
  async ask(method, body) {
    const { token } = server;
    try {
      const { settings } = await server.ask(method, "/settings", body);
      if (token !== server.token) return false;
      const before = $("setting").value;
      this.rows = settings.filter((each) => each.changeable);
      $("setting").replaceChildren(...this.rows.map(({ key }) => made("option", "", key)));
      if (before) $("setting").value = before;
      this.choose();
      return true;
    } catch (error) {
      if (token === server.token) this.complain(error);
      return false;
    }
  }

  choose() {
    const row = this.chosen;
    if (!row) return;
    $("setting-help").textContent = `${row.help}. ${row.choices.length ? row.choices.join(", ") : row.values}`;
    $("choices").replaceChildren(...row.choices.map((each) => {
      const option = made("option");
      option.value = each;
      return option;
    }));
    $("value").value = shown(row.value);
    $("default").disabled = !row.source;
  }
}
