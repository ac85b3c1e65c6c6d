// The session that is shown: its connection, its conversation, its questions, and what can be done with it.

import { Dialog } from "./ask/dialog.js";
import { Permission } from "./ask/permission.js";
import { $, made } from "./dom.js";
import { Link } from "./link.js";
import { Conversation, shownText } from "./log/conversation.js";
import { empty, follow } from "./log/log.js";
import { Waiting } from "./log/waiting.js";

const COMPLETE = "The answer is complete";

export class Session {
  #on;
  #link;
  #notes;
  #stop = null; // how the last turn of the running prompt ended, null if unknown
  #failed = false;
  busy = false;
  ready = false; // whether the conversation is shown completely, so that events can continue it

  // `on` has functions: `say` shows a line, `still` says whether the session is there (null if nobody answers), `changed`
  // is called when something ended or moved, `back` gets text and pictures for the message field. `parts` are further parts of the
  // page: each may have `opened(session)` (a promise if it asks for something), `state(data)`, `take(event)` and `closed()`.
  constructor(id, notes, on, parts) {
    this.id = id;
    this.#notes = notes;
    this.#on = on;
    this.parts = parts;
    const send = (command) => this.send(command);
    this.conversation = new Conversation((type, fields) => this.ask(type, fields));
    this.waiting = new Waiting(send, () => this.#drawWaiting(), on.back);
    this.#link = new Link(id, {
      open: () => this.#load(),
      line: (line) => this.#take(line),
      lost: () => this.#lost(),
      still: on.still,
    });
  }

  open() {
    this.#unready();
    empty();
    this.#drawWaiting();
    this.#link.connect();
  }

  close() {
    this.#unready();
    this.#link.close();
    this.permission.show([]);
    this.dialog.show([]);
    for (const each of this.parts) each.closed?.();
  }

  send(command) {
    if (!this.#link.send(command)) this.#on.say("There is no connection yet", true);
  }

  ask(type, fields) { return this.#link.ask(type, fields); }

  // Send a command; say what went wrong. Returns the data, or null. `asks` has a function for a code of an error, which
  // returns the fields with which the command is sent again, or nothing.
  async attempt(type, fields, asks = {}) {
    try {
      return await this.ask(type, fields) ?? {};
    } catch (error) {
      const more = asks[error.code]?.(error.message);
      if (more) return this.attempt(type, { ...fields, ...more });
      this.#on.say(error.message, true);
      return null;
    }
  }

  #unready() {
    this.ready = false;
    $("conversation").dataset.ready = "";
  }

  async #load() {
    this.#on.say("");
    const state = this.refresh();
    let found, runs;
    try {
      [found, { runs }] = await Promise.all([this.ask("get_messages"), this.ask("session.totals", { limit: 1000 })]);
    } catch {
      return; // the connection is lost
    }
    this.conversation.show(found.messages, this.#notes, found.entries, runs);
    this.waiting.heard(...found.messages.filter(({ role }) => role === "user").map(shownText));
    this.ready = true;
    await Promise.all([state, ...this.parts.map((each) => each.opened?.(this))]);
    if (this.ready) $("conversation").dataset.ready = "yes"; // commands, keys and all that extensions show are there too
  }

  // Ask for the state, and show it.
  async refresh() {
    let state;
    try {
      state = await this.ask("get_state");
    } catch {
      return; // the connection is lost
    }
    this.#state(state);
  }

  #state(data) {
    this.permission.show(data.permission_requests);
    this.dialog.show(data.ui_requests);
    this.conversation.take({ type: "todo", items: data.todos });
    if (!data.busy) this.waiting.end(false); // of what ended while there was no connection
    if (data.busy !== this.busy) this.#busy(data.busy);
    for (const each of this.parts) each.state?.(data);
  }

  #lost() {
    this.#unready();
    this.waiting.lost();
    this.#on.say("The connection is lost; trying again", true);
  }

  #take(line) {
    if (line.type === "response") {
      if (!this.waiting.answered(line) && !line.success) this.#on.say(line.error, true);
    } else if (this.ready) {
      this.conversation.take(line);
      EVENTS[line.type]?.call(this, line);
      for (const each of this.parts) each.take?.(line);
    }
  }

  #busy(is, words = "") {
    this.busy = is;
    $("stop").disabled = !is;
    $("log").setAttribute("aria-busy", String(is));
    this.#on.say(is ? this.#working() : words);
  }

  #working() {
    const count = this.waiting.shown.length;
    return count ? `Working… ${count === 1 ? "One waits" : `${count} wait`}` : "Working…";
  }

  #drawWaiting() {
    const texts = this.waiting.shown;
    $("waiting").replaceChildren(...texts.map((text) => made("li", "", text)));
    $("waiting").hidden = !texts.length;
    if (this.busy) this.#on.say(this.#working());
  }

  #ended(reason) {
    const [last, failed] = [this.#stop, this.#failed];
    this.#stop = null;
    this.#failed = false;
    if (reason && reason !== "completed") return `Ended: ${reason}`;
    if (failed || last === "error") return "Failed";
    if (["", "aborted", "tool_use"].includes(last)) return "Stopped";
    return last === "compacted" ? "The conversation is compacted" : COMPLETE;
  }

  stop() {
    if (!this.busy) return;
    this.waiting.stop();
    this.send({ type: "abort" });
  }

  // Events

  began(message) {
    this.#stop = "";
    this.waiting.heard(shownText(message));
    this.#busy(true);
    follow(true);
  }

  turnStarted() { this.#busy(true); this.#stop = ""; }

  turnEnded(how) { this.#stop = how; }

  compacting() { this.#busy(true); this.#stop ??= ""; }

  compacted() { this.#stop ||= "compacted"; }

  failed() { this.#failed = true; }

  done(reason) {
    const words = this.#ended(reason);
    const back = this.waiting.end(words === COMPLETE);
    this.#busy(false, back ? `${words}; what waited is below` : words);
    this.refresh(); // something may wait behind it
    this.#on.changed();
  }

  // The conversation continues elsewhere.
  moved() {
    this.#notes = [];
    this.#load();
    this.#on.changed();
  }

  get permission() { return permission.of(this); }

  get dialog() { return dialog.of(this); }
}

const EVENTS = {
  user_message(message) { this.began(message); },
  turn_start() { this.turnStarted(); },
  turn_end({ stop: how }) { this.turnEnded(how); },
  compact_start() { this.compacting(); },
  compact_done() { this.compacted(); },
  error() { this.failed(); },
  done({ reason }) { this.done(reason); },
  session_start() { this.moved(); },
  session_tree() { this.moved(); },
  permission_request(request) { this.permission.add(request); },
  permission_resolved({ request }) { this.permission.resolved(request); },
  ext_ui_request(request) { this.dialog.add(request); },
  ext_ui_resolved({ request }) { this.dialog.resolved(request); },
};

const permission = new Permission();
const dialog = new Dialog();
