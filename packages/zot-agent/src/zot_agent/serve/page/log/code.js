// Code with colours. A worker finds them: a grammar that takes long on hostile code holds up neither this page nor zot.

import { made } from "../dom.js";

const LONGEST = 100_000; // characters; longer code stays plain
const PATIENCE = 1500; // milliseconds for one piece of code; then its language stays plain
const PAUSE = 150; // milliseconds between two looks at code that grows

const plain = new Set(); // languages that took too long
const waiting = new Map(); // number of a question -> what to do with the answer
let worker = null;
let asked = 0;

// Browsers that know trusted types make no script of a string; this address is the only exception.
const policy = globalThis.trustedTypes?.createPolicy("zot", {
  createScriptURL(url) {
    if (url !== "/log/code-worker.js") throw new TypeError(`no script of this page: ${url}`);
    return url;
  },
});

function start() {
  const url = "/log/code-worker.js";
  worker = new Worker(policy ? policy.createScriptURL(url) : url, { type: "module" });
  worker.onmessage = ({ data: { id, parts } }) => settle(id, parts);
  worker.onerror = () => stop();
}

function settle(id, parts) {
  const one = waiting.get(id);
  waiting.delete(id);
  clearTimeout(one?.timer);
  one?.done(parts);
}

// Ends the worker; all who wait get nothing.
function stop() {
  worker?.terminate();
  worker = null;
  for (const id of [...waiting.keys()]) settle(id, null);
}

// The pieces of code as pairs of a scope and a text; null where there are no colours.
function lex(language, text) {
  if (!language || plain.has(language) || text.length > LONGEST) return Promise.resolve(null);
  if (!worker) start();
  return new Promise((done) => {
    const id = asked += 1;
    const timer = setTimeout(() => { plain.add(language); stop(); }, PATIENCE);
    waiting.set(id, { done, timer });
    worker.postMessage({ id, language, text });
  });
}

export class Code {
  #text = "";
  #language;
  #busy = false;
  #timer = 0;

  // `language` is the word behind a fence or the suffix of a file.
  constructor(language = "") {
    this.#language = language.toLowerCase();
    this.element = made("code");
  }

  get text() { return this.#text; }

  set(text) {
    if (text === this.#text) return;
    if (text.startsWith(this.#text)) this.element.append(text.slice(this.#text.length));
    else this.element.textContent = text;
    this.#text = text;
    if (this.#language) this.#paint();
  }

  async #paint() {
    if (this.#busy) return;
    this.#busy = true;
    const { length } = this.#text;
    const parts = await lex(this.#language, this.#text);
    if (parts && this.#text.length >= length) this.#show(parts, length);
    this.#timer = setTimeout(() => {
      this.#busy = false;
      if (this.#text.length !== length) this.#paint();
    }, PAUSE);
  }

  #show(parts, length) {
    const pieces = parts.map(([scope, text]) => (scope ? made("span", `hl-${scope}`, text) : text));
    this.element.replaceChildren(...pieces, this.#text.slice(length));
  }
}

// A block of code with its language and a button that copies it.
export class CodeBlock {
  constructor(info = "") {
    const language = /^[\w#+.-]+/.exec(info)?.[0] ?? "";
    this.info = info;
    this.element = made("figure", "code");
    this.code = new Code(language);
    const bar = made("figcaption");
    const copy = made("button", "copy", "Copy");
    copy.type = "button";
    copy.addEventListener("click", () => this.#copy(copy));
    bar.append(made("span", "", language || "text"), copy);
    const pre = made("pre");
    pre.tabIndex = 0; // it can be scrolled with keys
    pre.append(this.code.element);
    this.element.append(bar, pre);
  }

  set(text) { this.code.set(text); }

  async #copy(button) {
    try {
      await navigator.clipboard.writeText(this.code.text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Cannot copy";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }
}
