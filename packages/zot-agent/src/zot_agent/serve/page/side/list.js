// The list of the open sessions.

import { $, made } from "../dom.js";
import { server } from "../server.js";

const LISTING = 4000; // milliseconds between two looks at the list

const last = (path) => path.split("/").filter(Boolean).pop() ?? "/";

export class SessionList {
  #timer = 0;
  #on;

  // `on.open` shows a session, `on.seen` gets the sessions, `on.complain` an error.
  constructor(on) {
    this.#on = on;
  }

  get buttons() { return [...$("sessions").querySelectorAll("button")]; }

  stop() { clearTimeout(this.#timer); }

  clear() {
    this.stop();
    $("sessions").replaceChildren();
  }

  // Ask for the list and draw it; once more, later, until it is stopped.
  async load() {
    this.stop();
    const { token } = server;
    try {
      const { sessions } = await server.ask("GET", "/sessions");
      if (token === server.token) this.#draw(sessions);
    } finally {
      this.stop();
      this.#timer = setTimeout(() => { if (server.token) this.load().catch(this.#on.complain); }, LISTING);
    }
  }

  #draw(sessions) {
    const before = new Map(this.buttons.map((each) => [each.dataset.id, each]));
    const current = this.#on.seen(sessions);
    for (const [id, button] of before) if (!sessions.some((each) => each.id === id)) button.parentElement.remove();
    for (const session of sessions) {
      const button = before.get(session.id) ?? this.#listed(session.id);
      const [name, where] = button.children;
      const words = session.title || "New session";
      if (name.textContent !== words) name.textContent = words;
      where.replaceChildren(session.busy ? made("span", "working", "working · ") : "", `${last(session.cwd)} · ${session.model}`);
      button.title = session.cwd;
      button.setAttribute("aria-current", String(current === session.id));
    }
    $("no-sessions").hidden = sessions.length > 0;
  }

  #listed(id) {
    const item = made("li");
    const button = made("button");
    button.type = "button";
    button.dataset.id = id;
    button.append(made("span", "name"), made("span", "where quiet"));
    button.addEventListener("click", () => this.#on.open(id));
    item.append(button);
    $("sessions").append(item);
    return button;
  }
}
