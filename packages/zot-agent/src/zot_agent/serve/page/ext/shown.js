// What extensions show around the conversation: widgets, the title of the window, and the row of work.

import { $, made } from "../dom.js";
import { spans } from "./spans.js";

const PLACES = ["status", "above_editor", "below_editor", "header", "footer", "top_left", "top_right", "bottom_left", "bottom_right"];
const NARROW = matchMedia("(max-width: 600px)");
// On a phone all that is around the message field is in the row of the state, which can be moved with a finger.
const shownAt = (place) => (NARROW.matches && place !== "header" ? "status" : place);
export const CALLS = "● "; // before the title of a page that wants attention
const FASTEST = 100; // milliseconds between two frames of the row of work

export function rows(lines) {
  return lines.map((line) => {
    const row = made("div");
    row.append(...spans(line));
    return row;
  });
}

export class Shown {
  #widgets = new Map(); // extension and key -> event
  #working = {};
  #timer = 0;
  #busy = false;

  constructor() {
    NARROW.addEventListener("change", () => this.#drawAll());
  }

  async opened(session) {
    this.#clear();
    const { events } = await session.attempt("get_shown") ?? { events: [] };
    for (const event of events) for (const part of session.parts) part.take?.(event);
  }

  closed() { this.#clear(); }

  #clear() {
    this.#widgets.clear();
    this.#drawAll();
    this.#working = {};
    $("log").dataset.thinking = "";
    this.#work(false);
  }

  state({ busy }) { this.#work(busy); }

  take(event) {
    if (event.type === "ext_widget") {
      const key = JSON.stringify([event.extension, event.key]);
      if (event.lines.length) this.#widgets.set(key, event);
      else this.#widgets.delete(key);
      this.#draw(shownAt(event.place));
    } else if (event.type === "ext_title") {
      document.title = event.text || `${$("title").textContent} – zot`;
    } else if (event.type === "ext_working") {
      this.#working = event;
      $("log").dataset.thinking = event.thinking;
      this.#work(this.#busy);
    } else if (event.type === "ext_alert") {
      this.#alert(event);
    } else if (["user_message", "turn_start"].includes(event.type)) {
      if (!this.#busy) this.#work(true);
    } else if (event.type === "done") {
      this.#work(false);
    }
  }

  // Say it above the conversation, and in the title until the person is here.
  #alert({ extension, text }) {
    $("status").textContent = `${extension}: ${text}`;
    if (!document.hidden || document.title.startsWith(CALLS)) return;
    document.title = CALLS + document.title;
    const here = () => { document.title = document.title.replace(CALLS, ""); };
    document.addEventListener("visibilitychange", here, { once: true });
  }

  #drawAll() {
    $("state").tabIndex = NARROW.matches ? 0 : -1; // keys move it, too
    for (const place of PLACES) this.#draw(place);
  }

  #draw(place) {
    const found = [...this.#widgets.values()].filter((each) => shownAt(each.place) === place);
    found.sort((one, two) => two.priority - one.priority);
    $(`place-${place}`).replaceChildren(...found.flatMap(({ lines }) => rows(lines)));
  }

  #work(busy) {
    this.#busy = busy;
    clearInterval(this.#timer);
    const { message = "", frames = [], interval_ms: pause = 0, hidden } = this.#working;
    const row = $("working");
    row.hidden = !busy || hidden || !(message || frames.length);
    if (row.hidden) return;
    let at = 0;
    const draw = () => {
      row.textContent = [frames[at % (frames.length || 1)], message].filter(Boolean).join(" ");
      at += 1;
    };
    draw();
    if (frames.length > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.#timer = setInterval(draw, Math.max(pause, FASTEST));
  }
}
