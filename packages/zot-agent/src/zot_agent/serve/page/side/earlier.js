// The stored sessions: a list that can be searched, from which a session is continued.

import { $, made } from "../dom.js";
import { server } from "../server.js";

const WAIT = 300; // milliseconds without a key until a search begins

export class Earlier {
  // `open` shows the session that was opened, `complain` an error.
  constructor(open, complain) {
    this.open = open;
    this.complain = complain;
    this.next = ""; // the place where the list continues
    this.asked = 0; // the number of the latest request: answers to others are not shown
    this.timer = 0;
    $("earlier").addEventListener("toggle", () => { if ($("earlier").open) this.load(); });
    $("search-form").addEventListener("submit", (event) => { event.preventDefault(); this.load(); });
    $("words").addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), WAIT);
    });
    $("more").addEventListener("click", () => this.load(this.next));
  }

  clear() {
    clearTimeout(this.timer);
    this.asked += 1;
    $("earlier").open = false;
    $("words").value = "";
    $("found").replaceChildren();
  }

  // Show the sessions with these words, or all; `after` continues the list.
  async load(after = "") {
    clearTimeout(this.timer);
    const asked = this.asked += 1;
    const query = $("words").value.trim();
    try {
      const { sessions, next } = await server.ask("GET", `/stored?${new URLSearchParams({ query, after })}`);
      if (asked !== this.asked) return;
      this.next = next ?? "";
      const items = sessions.map((each) => this.item(each));
      if (after) $("found").append(...items);
      else $("found").replaceChildren(...items);
      $("nothing").hidden = $("found").children.length > 0;
      $("more").hidden = !this.next;
    } catch (error) {
      if (asked === this.asked) this.complain(error);
    }
  }

  item(session) {
    const item = made("li");
    const button = made("button");
    button.type = "button";
    button.title = session.cwd;
    const when = new Date(session.used).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const where = session.excerpt || `${when} · ${session.cwd.split("/").pop()}`;
    button.append(made("span", "name", session.title || "A session"), made("span", "where quiet", where));
    button.addEventListener("click", async () => {
      try {
        const opened = await server.ask("POST", "/sessions", { session: session.id });
        $("earlier").open = false;
        this.open(opened.id, opened.notes);
      } catch (error) {
        this.complain(error);
      }
    });
    item.append(button);
    return item;
  }

  // Save a stored session as an HTML page, where the browser saves files.
  async save(id) {
    try {
      const response = await server.request("GET", `/stored/${id}/export?format=html`);
      const link = made("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = /filename="([^"]+)"/.exec(response.headers.get("content-disposition"))?.[1] ?? "session.html";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    } catch (error) {
      this.complain(error);
    }
  }
}
