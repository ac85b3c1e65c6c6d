// A conversation as events and messages, drawn into the log.

import { $, made } from "../dom.js";
import { Part, drawn, renderers } from "../ext/renderers.js";
import { worked } from "./amounts.js";
import { Cells } from "./cells.js";
import { todo } from "./displays.js";
import { empty, follow, note, put, textOf } from "./log.js";
import { Said } from "./markdown.js";
import { picture } from "./pictures.js";

// What the user sees of a message.
export function shownText({ content, display_text: replacement, hidden }) {
  return hidden ? "" : (replacement ?? textOf(content));
}

export class Conversation {
  #ask;
  #cells;
  #turn = null; // the parts of the answer that is being written
  #cut = false; // whether a note says that the text of this turn is cut off
  #agents = new Map(); // lines of sub-agents
  #lastRun; // the last message of the last run of which it was said what it took

  // `ask` sends a command and returns a promise of the data of its response.
  constructor(ask) {
    this.#ask = ask;
    this.#cells = new Cells(ask);
  }

  // Show these messages in place of all others, with what runs took behind the last message of each.
  show(messages, notes = [], entries = [], runs = []) {
    empty();
    renderers.empty();
    this.#cells = new Cells(this.#ask);
    this.#turn = null;
    this.#agents.clear();
    for (const text of notes) note(text);
    const left = [...entries];
    const ended = new Map(runs.map((run) => [run.at, run]));
    this.#lastRun = runs.at(-1)?.after;
    messages.forEach((each, at) => {
      while (left[0]?.at <= at) this.entry(left.shift());
      this.#recall(each);
      if (ended.has(at + 1)) put(made("p", "worked", worked(ended.get(at + 1))));
    });
    for (const each of left) this.entry(each);
    this.#cells.ended();
    follow(true);
  }

  filled(call, most) { return this.#cells.filled(call, most); }

  #recall(message) {
    const { role, content } = message;
    const text = shownText(message);
    if (message.hidden) note(message.hidden);
    else if (message.summarized_tokens !== undefined) this.#summary(text);
    else if (role === "user") this.#asked(message, text);
    else if (role === "assistant" && text) this.#changes(this.#said(text));
    for (const block of content) {
      if (block.type === "tool_call") this.#cells.called(block);
      if (block.type === "tool_result") this.#cells.returned(block);
    }
  }

  #asked({ content, id, custom_type: type }, text) {
    const images = content.filter(({ type }) => type === "image");
    if (!text && !images.length) return;
    const part = made("article", "user");
    part.append(made("h3", "", "You"), made("div", "text", text), ...images.map((each) => picture(each, this.#ask)));
    put(part);
    if (!type) return;
    const own = [...part.childNodes];
    renderers.add(new Part("message", type, id, part, () => renderers.expanded, (lines) => {
      part.classList.toggle("nothing", lines?.length === 0); // it is watched, so it keeps a place
      part.replaceChildren(...(lines ? [drawn(lines)] : own));
    }));
  }

  // What an extension has stored: nothing, unless it draws it.
  entry({ id, extension, custom_type: type }) {
    const part = put(made("article", "entry nothing"));
    renderers.add(new Part("entry", type, id, part, () => renderers.expanded, (lines) => {
      part.classList.toggle("nothing", !lines?.length);
      part.replaceChildren(...(lines?.length ? [drawn(lines)] : []));
    }, extension));
  }

  #said(text = "") {
    const part = made("article", "assistant");
    const said = new Said(text);
    part.append(made("h3", "", "zot"), said.element);
    put(part);
    return said;
  }

  // Let extensions change the Markdown of a complete answer.
  #changes(said) {
    const { text } = said;
    const part = new Part("markdown", "answer", "", said.element, () => false, (lines) => said.set(lines ? lines[0] : text));
    renderers.add(Object.assign(part, { text }));
  }

  #thought() {
    const part = made("details", "thinking");
    const said = new Said();
    part.append(made("summary", "", $("log").dataset.thinking || "Thinking"), said.element);
    put(part);
    return said;
  }

  // Draw an event; those that draw nothing are passed over.
  take(event) {
    EVENTS[event.type]?.call(this, event);
  }

  userMessage(message) {
    if (message.hidden) note(message.hidden);
    else this.#asked(message, shownText(message));
    follow(true);
  }

  turnStart() {
    this.#turn = {};
    this.#cut = false;
  }

  // Say why the model is asked again. The first such note below text that was read says that this is cut off.
  failedOnce(why) {
    const cut = !this.#cut && this.#turn?.text?.text.trim();
    if (cut) note(["cut off, and asked again", why].filter(Boolean).join(": "));
    else if (why) note(why);
    this.#cut ||= Boolean(cut);
  }

  // A second answer of a turn takes the place of what has come of the first one, except text that was read.
  answerStart() {
    this.failedOnce("");
    const { text, thinking } = this.#turn ?? {};
    if (text?.text.trim()) text.set(text.text);
    else text?.element.closest("article").remove();
    thinking?.element.closest("details").remove();
    this.turnStart();
  }

  grow(kind, delta) {
    this.#turn ??= {};
    this.#turn[kind] ??= kind === "text" ? this.#said() : this.#thought();
    this.#turn[kind].add(delta);
  }

  answered({ content }) {
    const text = textOf(content);
    this.#turn?.thinking?.set(this.#turn.thinking.text);
    if (this.#turn?.text) this.#turn.text.set(text);
    const said = this.#turn?.text ?? (text ? this.#said(text) : null);
    if (said) this.#changes(said);
    this.#turn = {};
  }

  called(call) { this.#cells.called(call); }

  progress({ id, text }) { this.#cells.get(id)?.progress(text); }

  returned(result) { this.#cells.returned(result); }

  compacted({ summary, tokens_before: before, tokens_after: after }) {
    this.#summary(summary ?? "", `: ${before} → ${after} tokens of messages`);
  }

  #summary(text, more = "") {
    const part = made("details", "compacted");
    part.append(made("summary", "", `The conversation was compacted${more}`), new Said(text).element);
    put(part);
  }

  agent({ agent_id: id, name, task, line, tokens, end, error }) {
    let part = this.#agents.get(id);
    if (!part) {
      part = put(made("p", "agent"));
      part.append(made("b", "", `${name} `), made("span", "", task ?? ""), made("span", "quiet"));
      this.#agents.set(id, part);
    }
    const words = end ? [end === "completed" ? "done" : end, error] : [line, tokens && `${tokens} tokens`];
    part.lastChild.textContent = ` ${words.filter(Boolean).join(" · ")}`;
    follow();
  }

  // Say what the run took that has ended, behind what it has shown.
  async ended() {
    const place = put(made("p", "worked"));
    const { runs: [run] } = await this.#ask("session.totals", { limit: 1 }).catch(() => ({ runs: [] }));
    if (run && run.after !== this.#lastRun) place.textContent = worked(run);
    else place.remove(); // a short answer without calls
    this.#lastRun = run?.after;
  }

  todos({ items }) {
    $("todos").replaceChildren(...(items.length ? [todo(items)] : []));
    $("todo-part").hidden = !items.length;
    const done = items.filter(({ status }) => status === "completed").length;
    $("todo-count").textContent = items.length ? `${done} of ${items.length} done` : "";
  }

  failed({ message }) {
    put(made("p", "error", message)).setAttribute("role", "alert");
  }

  done() {
    for (const each of Object.values(this.#turn ?? {})) each.set(each.text);
    this.#turn = null;
    this.#cells.ended();
  }
}

const EVENTS = {
  user_message(event) { this.userMessage(event); },
  turn_start() { this.turnStart(); },
  assistant_start() { this.answerStart(); },
  text_delta({ delta }) { this.grow("text", delta); },
  reasoning_delta({ delta }) { this.grow("thinking", delta); },
  assistant_message(event) { this.answered(event); },
  tool_call(event) { this.called(event); },
  tool_progress(event) { this.progress(event); },
  tool_result(event) { this.returned(event); },
  compact_done(event) { this.compacted(event); },
  notice({ level, message }) { note(message, level); },
  auto_retry_start({ error_message: why, delay_ms: delay }) { this.failedOnce(`${why}; trying again in ${Math.round(delay / 1000)} s`); },
  job_start({ id, command }) { note(`Job ${id} runs in the background: ${command}`); },
  job_end({ id, state, exit_code: code }) { note(`Job ${id}: ${state}${code ? `, exit code ${code}` : ""}`); },
  subagent_start(event) { this.agent(event); },
  subagent_progress(event) { this.agent(event); },
  subagent_stop(event) { this.agent(event); },
  todo(event) { this.todos(event); },
  error(event) { this.failed(event); },
  done() { this.done(); this.ended(); },
  ext_notify({ extension, level, message }) { note(`${extension}: ${message}`, `of-extension ${level}`).dataset.extension = extension; },
  ext_display({ extension, text }) { note(`${extension}: ${text}`, "text of-extension").dataset.extension = extension; },
  ext_message(event) { this.userMessage(event); },
  ext_entry(event) { this.entry(event); },
  ext_clear_notes({ extension }) {
    for (const each of $("log").querySelectorAll(".of-extension")) if (each.dataset.extension === extension) each.remove();
  },
};
