// The folder of a new session: the last used ones first, then a way through those that are served.

import { $ } from "../dom.js";
import { server } from "../server.js";
import { choose } from "./window.js";

const last = (path) => path.split("/").filter(Boolean).pop() ?? "/";

export class Folders {
  // `complain` shows an error.
  constructor(complain) {
    $("browse").addEventListener("click", () => this.#begin().catch(complain));
  }

  // Suggest the folders of earlier sessions.
  async load() {
    const { recent, base } = await server.ask("GET", "/folders");
    $("folders").replaceChildren(...recent.map((each) => new Option(each, each)));
    $("cwd").placeholder = base;
  }

  async #begin() {
    const { recent, roots } = await server.ask("GET", "/folders");
    if (!recent.length && roots.length === 1) return this.#look(roots[0]);
    const rows = [
      ...recent.map((path) => ({ id: `use:${path}`, label: last(path), detail: path })),
      ...roots.map((path) => ({ id: `in:${path}`, label: `Look in ${last(path)}`, detail: path })),
    ];
    return choose("Folder", () => rows, `use:${$("cwd").value}`, (id) => this.#chosen(id));
  }

  #chosen(id) {
    const path = id.slice(id.indexOf(":") + 1);
    if (!id.startsWith("use:")) return this.#look(path);
    $("cwd").value = path;
    return $("cwd").focus();
  }

  // Choose among the folders in one.
  #look(path) {
    const rows = async () => {
      const { path: here, parent, folders, more } = await server.ask("GET", `/folders?${new URLSearchParams({ path })}`);
      const below = here.endsWith("/") ? here : `${here}/`;
      return [
        { id: `use:${here}`, label: `Use ${last(here)}`, detail: here },
        ...(parent === null ? [] : [{ id: `in:${parent}`, label: "Up", detail: parent }]),
        ...folders.map((name) => ({ id: `in:${below}${name}`, label: name, detail: more ? "of the first 500" : "" })),
      ];
    };
    choose(path, rows, "", (id) => this.#chosen(id));
  }
}
