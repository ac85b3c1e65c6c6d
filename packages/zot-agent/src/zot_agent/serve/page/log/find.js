// Search in the conversation. What is in the page is searched here; what tool calls hold, zot searches: their cells are empty
// until they are seen. A cell is opened for its hit, and closed again when one leaves it.

import { $ } from "../dom.js";

const WAIT = 150; // milliseconds without a key until a search begins
const PAGES = 10; // pages of places that zot is asked for
const PATIENCE = 3000; // milliseconds until a cell has what it holds

const log = $("log");
const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Case does not count until somebody types an upper-case letter.
function patternOf(text) {
  const words = text.split(/\s+/).filter(Boolean).map(escaped);
  return words.length ? new RegExp(words.join("\\s+"), text === text.toLowerCase() ? "giu" : "gu") : null;
}

// The places of a pattern in an element, as ranges.
function rangesIn(element, pattern) {
  const nodes = [];
  let whole = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push([whole.length, node]);
    whole += node.data;
  }
  const at = (place) => {
    let low = 0;
    for (let high = nodes.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if (nodes[middle][0] <= place) low = middle;
      else high = middle - 1;
    }
    return [nodes[low][1], place - nodes[low][0]];
  };
  return [...whole.matchAll(pattern)].map(({ index, 0: found }) => {
    const range = new Range();
    range.setStart(...at(index));
    const [node, offset] = at(index + found.length - 1);
    range.setEnd(node, offset + 1);
    return range;
  });
}

export class Find {
  #session = null;
  #pattern = null;
  #items = []; // the parts of the log that have the text, from top to bottom: an element, how often, and its call
  #here = null; // the hit: an item, and which of its places
  #opened = []; // what was opened for it
  #asked = 0;
  #timer = 0;

  constructor() {
    $("find-open").addEventListener("click", () => ($("find").hidden ? this.open() : this.close()));
    $("find-close").addEventListener("click", () => this.close());
    $("find-text").addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), WAIT);
    });
    $("find").addEventListener("submit", (event) => { event.preventDefault(); this.#step(-1); });
    $("find-newer").addEventListener("click", () => this.#step(1));
    $("find").addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? (event.key === "Enter" && event.shiftKey ? 1 : 0);
      if (event.key === "Escape") this.close();
      else if (step) this.#step(step);
      else return;
      event.preventDefault();
    });
  }

  opened(session) { this.#session = session; }

  closed() {
    this.#session = null;
    this.close(false);
  }

  take({ type }) {
    if (type === "done" && !$("find").hidden) this.#look(!this.#here);
  }

  // Show the row, and look for a text.
  open(text = "") {
    if (!this.#session) return;
    $("find").hidden = false;
    $("find-open").setAttribute("aria-expanded", "true");
    if (text) $("find-text").value = text;
    $("find-text").focus();
    $("find-text").select();
    this.#look();
  }

  close(back = true) {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#items = [];
    this.#here = null;
    this.#opened = [];
    this.#pattern = null;
    this.#mark();
    if (back && !$("find").hidden) $("message").focus();
    $("find").hidden = true;
    $("find-open").setAttribute("aria-expanded", "false");
  }

  // Count the places, and go to the newest one; without `go`, only if the hit is no longer there.
  async #look(go = true) {
    clearTimeout(this.#timer);
    const asked = this.#asked += 1;
    const text = $("find-text").value;
    this.#pattern = patternOf(text);
    const calls = this.#pattern ? await this.#calls(text) : new Map();
    if (asked !== this.#asked) return;
    this.#items = [];
    for (const element of this.#pattern ? log.children : []) {
      const { call } = element.dataset;
      const count = (call && calls?.get(call)) || (call && calls ? 0 : rangesIn(element, this.#pattern).length);
      if (count) this.#items.push({ element, count });
    }
    const same = go ? null : this.#items.find(({ element }) => element === this.#here?.item.element);
    this.#here = same ? { item: same, place: this.#here.place } : null;
    if (same) this.#mark(rangesIn(same.element, this.#pattern)[this.#here.place]);
    else await this.#step(-1);
  }

  // How often each call has the text; null if zot does not answer.
  async #calls(text) {
    const found = new Map();
    let before;
    try {
      for (let page = 0; page < PAGES; page += 1) {
        const { places, more } = await this.#session.ask("session.find", { text, limit: 1000, ...(before ? { before } : {}) });
        for (const { call, count } of places) if (call) found.set(call, (found.get(call) ?? 0) + count);
        before = places.at(-1)?.entry;
        if (!more || !before) break;
      }
      return found;
    } catch {
      return null;
    }
  }

  // Go to the next place, up or down; from the last one to the first.
  async #step(direction) {
    if (!this.#pattern) return this.#mark();
    const asked = this.#asked;
    let at = this.#here ? this.#items.indexOf(this.#here.item) : -1;
    let place = this.#here ? this.#here.place + direction : null;
    for (let tries = this.#items.length + 1; tries > 0 && this.#items.length; tries -= 1) {
      if (at < 0) at = direction < 0 ? this.#items.length - 1 : 0;
      const item = this.#items[at];
      const ranges = await this.#ranges(item);
      if (asked !== this.#asked) return undefined;
      if (place === null) place = direction < 0 ? ranges.length - 1 : 0;
      item.count = ranges.length;
      if (place >= 0 && place < ranges.length) {
        this.#show(item, place, ranges);
        return undefined;
      }
      const count = this.#items.length;
      at = (at + direction + count) % count;
      place = null;
    }
    this.#here = null;
    return this.#mark();
  }

  // The places in an item, which is opened for them.
  async #ranges(item) {
    const { element } = item;
    if (this.#here?.item !== item) this.#fold(element);
    let found = rangesIn(element, this.#pattern);
    if (element.dataset.call && !element.open) {
      this.#unfold(element);
      await this.#session?.conversation.filled(element.dataset.call, PATIENCE);
      found = rangesIn(element, this.#pattern);
    }
    for (const range of found) {
      for (let part = range.startContainer.parentElement?.closest("details"); part; part = part.parentElement?.closest("details")) {
        if (log.contains(part) && !part.open && !range.startContainer.parentElement.closest("summary")) this.#unfold(part);
      }
    }
    return found;
  }

  #unfold(part) {
    part.open = true;
    this.#opened.push(part);
  }

  // Close what was opened, but for an element and its parts.
  #fold(kept) {
    for (const part of this.#opened) if (!kept.contains(part)) part.open = false;
    this.#opened = this.#opened.filter((part) => kept.contains(part));
  }

  #show(item, place, ranges) {
    this.#here = { item, place };
    const [range, box] = [ranges[place].getBoundingClientRect(), log.getBoundingClientRect()];
    if (range.top < box.top || range.bottom > box.bottom) log.scrollTop += range.top - box.top - box.height / 3;
    this.#mark(ranges[place]);
  }

  // Mark all places, and one of them, and say which it is.
  #mark(current = null) {
    const ranges = this.#pattern ? this.#items.flatMap(({ element }) => rangesIn(element, this.#pattern)) : [];
    const marks = globalThis.CSS?.highlights;
    marks?.set("found", new Highlight(...ranges));
    marks?.set("found-here", new Highlight(...(current ? [current] : [])));
    if (!marks && current) getSelection().setBaseAndExtent(current.startContainer, current.startOffset, current.endContainer, current.endOffset);
    $("find-count").textContent = this.#words();
    $("find-older").disabled = $("find-newer").disabled = !this.#items.length;
  }

  #words() {
    if (!this.#pattern) return "";
    const total = this.#items.reduce((sum, { count }) => sum + count, 0);
    if (!total) return "Nothing found";
    if (!this.#here) return `${total} found`;
    const below = this.#items.slice(this.#items.indexOf(this.#here.item) + 1).reduce((sum, { count }) => sum + count, 0);
    return `${below + this.#here.item.count - this.#here.place} of ${total}`;
  }
}
