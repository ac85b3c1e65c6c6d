// What footers of extensions know beside their context: the branch and the texts of the status row.

import { execFile } from "node:child_process";

export class Footer {
  #statuses = new Map();
  #branch = null;
  #watchers = new Set();
  #asked = -Infinity;

  /** @param {import("./screen.mjs").Screen} screen */
  constructor(screen) {
    const footer = this;
    this.screen = screen;
    this.data = {
      getGitBranch: () => footer.branch(),
      getExtensionStatuses: () => footer.#statuses,
      getAvailableProviderCount: () => new Set(screen.bridge.models.list("ready").map((each) => each.provider)).size,
      onBranchChange: (callback) => {
        footer.#watchers.add(callback);
        return () => footer.#watchers.delete(callback);
      },
    };
  }

  setStatus(key, text) {
    if (text === undefined) this.#statuses.delete(key);
    else this.#statuses.set(key, text);
    this.screen.refresh();
  }

  /** @returns {string | null} as it was a moment ago; it is looked up again in the background */
  branch() {
    if (performance.now() - this.#asked > 2000) {
      this.#asked = performance.now();
      execFile("git", ["symbolic-ref", "--short", "-q", "HEAD"], { cwd: this.screen.bridge.cwd }, (error, text) => {
        const found = error ? null : text.trim() || null;
        if (found === this.#branch) return;
        this.#branch = found;
        for (const each of this.#watchers) each();
        this.screen.refresh();
      });
    }
    return this.#branch;
  }
}
