// The keys and sign-ins of the person who runs zot serve. The server never sends a key.

import { $, linked, made } from "../dom.js";
import { server } from "../server.js";


export class Accounts {
  // `say` shows a line, `complain` an error.
  constructor(say, complain) {
    this.say = say;
    this.complain = complain;
    this.lines = [];
    this.signing = null; // what ends the sign-in that is open
    $("accounts").addEventListener("toggle", () => { if ($("accounts").open) this.attempt(() => this.load()); });
    $("provider").addEventListener("change", () => this.choose());
    $("key-form").addEventListener("submit", (event) => { event.preventDefault(); this.attempt(() => this.store()); });
    $("sign-in").addEventListener("click", () => this.attempt(() => this.signIn()));
  }

  // Remove everything, and end a sign-in.
  clear() {
    this.signing?.abort();
    this.lines = [];
    $("accounts").open = false;
    $("key").value = "";
    for (const id of ["stored", "provider", "code", "notes"]) $(id).replaceChildren();
  }

  async attempt(work) {
    const { token } = server;
    try {
      await work();
    } catch (error) {
      if (token === server.token) this.complain(error);
    }
  }

  async load() {
    const { token } = server;
    const { accounts, notes } = await server.ask("GET", "/accounts");
    if (token !== server.token) return;
    const before = $("provider").value;
    this.lines = accounts;
    $("notes").textContent = notes.join(" ");
    $("stored").replaceChildren(...accounts.filter(({ kind, problem }) => kind || problem).map((each) => this.item(each)));
    $("provider").replaceChildren(...accounts.filter((each) => each.takes_key || each.sign_in).map((each) => {
      const option = made("option", "", each.title);
      option.value = each.provider;
      return option;
    }));
    if (before) $("provider").value = before;
    this.choose();
  }

  item(line) {
    const item = made("li");
    const words = made("div");
    words.append(made("span", "name", line.title), made("span", "where quiet", line.text));
    item.append(words);
    if (["file", "keyring"].includes(line.source) && !line.shared) {
      const button = made("button", "", "Delete");
      button.type = "button";
      button.setAttribute("aria-label", `Delete what is stored for ${line.title}`);
      button.addEventListener("click", () => this.attempt(async () => {
        const { text } = await server.ask("DELETE", `/accounts/${encodeURIComponent(line.provider)}`);
        await this.load();
        this.say(text);
        $("provider").focus();
      }));
      item.append(button);
    }
    return item;
  }

  get chosen() { return this.lines.find((each) => each.provider === $("provider").value); }

  choose() {
    const { takes_key: key, sign_in: account, terms } = this.chosen ?? {};
    $("key-part").hidden = !key;
    $("account-part").hidden = !account;
    $("terms").textContent = terms ?? "";
    $("sign-in").textContent = terms ? `Agree and sign in with ${account}` : `Sign in with ${account}`;
  }

  async store() {
    const line = this.chosen;
    const key = $("key").value.trim();
    if (!line?.takes_key || !key) return;
    this.say("Checking the key…");
    const { text } = await server.ask("PUT", `/accounts/${encodeURIComponent(line.provider)}`, { key });
    $("key").value = "";
    await this.load();
    this.say(text);
  }

  async signIn() {
    const line = this.chosen;
    this.signing?.abort();
    const mine = new AbortController();
    this.signing = mine;
    const path = `/accounts/${encodeURIComponent(line.provider)}/sign-in`;
    $("code").replaceChildren(made("p", "quiet", "One moment…"));
    try {
      await server.follow("POST", path, { agree: Boolean(line.terms) }, (step) => this.step(step), mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) throw error;
    } finally {
      if (this.signing === mine) {
        this.signing = null;
        $("code").replaceChildren();
      }
    }
    if (!mine.signal.aborted) await this.load();
  }

  step(step) {
    if (step.type === "ask") {
      const form = made("form");
      const field = made("input");
      field.setAttribute("aria-label", "What the page shows, or asks you to type");
      field.autocomplete = "off";
      const button = made("button", "primary", "Send");
      form.append(field, button);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const text = field.value;
        field.value = "";
        this.attempt(() => server.ask("POST", `/sign-ins/${encodeURIComponent(step.sign_in)}`, { text }));
      });
      $("code").append(form);
      field.focus();
    } else if (step.type === "open_page") {
      $("code").replaceChildren(made("p", "quiet", "Open this page and sign in."), linked(step.url));
    } else if (step.type === "enter_code") {
      const minutes = Math.max(1, Math.round(step.seconds / 60));
      const before = made("p", "quiet", `Open this page and enter the code; it is valid for ${minutes} minutes.`);
      $("code").replaceChildren(before, made("strong", "", step.code), linked(step.url));
      $("code").scrollIntoView({ block: "nearest" });
    } else {
      this.say(step.error ?? step.text, step.type === "failed");
    }
  }
}
