// Markdown as elements. markdown-it gives tokens; this module makes an element of each kind that it knows, and text of
// the rest. No string becomes markup: HTML in markdown is text, pictures and foreign links are words.

import { linked, made } from "../dom.js";
import { CodeBlock } from "./code.js";

const parser = globalThis.markdownit("default", { html: false, linkify: true, typographer: false });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
parser.validateLink = () => true; // `linked` decides

// Headings are below those of the page; these are how they look, `leveled` says what they are.
const TAGS = { h1: "h4", h2: "h5", h3: "h6", h4: "h6", h5: "h6", h6: "h6" };
const KNOWN = new Set(
  "p ul ol li blockquote table thead tbody tr th td em strong s h1 h2 h3 h4 h5 h6".split(" "),
);
const SOON = 40; // milliseconds between two redraws of text that grows, or more if they take long

function inline(tokens, parent) {
  const open = [parent];
  for (const token of tokens) {
    const here = open.at(-1);
    if (token.type === "link_open") open.push(linked(token.attrGet("href") ?? "", ""));
    else if (token.nesting > 0) open.push(made(KNOWN.has(token.tag) ? token.tag : "span"));
    else if (token.nesting < 0) { if (open.length > 1) open.at(-2).append(open.pop()); }
    else if (token.type === "code_inline") here.append(made("code", "", token.content));
    else if (token.type === "hardbreak") here.append(made("br"));
    else if (token.type === "softbreak") here.append("\n");
    else if (token.type === "image") here.append(picture(token));
    else here.append(token.content);
  }
  while (open.length > 1) open.at(-2).append(open.pop());
}

// A picture is not loaded: that would tell its server who reads this, and when.
function picture(token) {
  const link = linked(token.attrGet("src") ?? "", token.content || "picture");
  link.classList.add("picture");
  return link;
}

function started(token) {
  const element = made(TAGS[token.tag] ?? (KNOWN.has(token.tag) ? token.tag : "div"));
  if (token.tag === "ol" && token.attrGet("start")) element.start = Number(token.attrGet("start"));
  const align = /text-align:(left|center|right)/.exec(token.attrGet("style") ?? "");
  if (align) element.classList.add(align[1]);
  if (token.tag !== "table") return element;
  const frame = made("div", "table");
  frame.tabIndex = 0; // it can be scrolled with keys
  frame.append(element);
  return frame;
}

// The elements of the tokens of a block.
function built(tokens) {
  const root = document.createDocumentFragment();
  const open = [root];
  for (const token of tokens) {
    const here = open.at(-1);
    const inner = here.firstChild?.tagName === "TABLE" && here.className === "table" ? here.firstChild : here;
    if (token.type === "inline") inline(token.children, inner);
    else if (token.type === "fence" || token.type === "code_block") inner.append(codeOf(token));
    else if (token.type === "hr") inner.append(made("hr"));
    else if (token.hidden) continue;
    else if (token.nesting > 0) { open.push(started(token)); inner.append(open.at(-1)); }
    else if (token.nesting < 0) { if (open.length > 1) open.pop(); }
    else inner.append(token.content);
  }
  return root;
}

function codeOf(token) {
  const block = new CodeBlock(token.info.trim());
  block.set(token.content.replace(/\n$/, ""));
  return block.element;
}

// The blocks at the top of a text: their tokens, and their first lines.
function blocksOf(text) {
  const blocks = [];
  let depth = 0;
  for (const token of parser.parse(text, {})) {
    if (!depth && token.nesting >= 0) blocks.push({ tokens: [], line: token.map?.[0] ?? 0, end: token.map?.[1] ?? 0 });
    blocks.at(-1).tokens.push(token);
    depth += token.nesting;
  }
  return blocks;
}

// Give each heading a level: one below that of the heading that it is under, so that none is left out.
function leveled(element) {
  const above = [];
  for (const each of element.querySelectorAll("h4, h5, h6")) {
    while (above.length && above.at(-1) >= each.tagName) above.pop();
    above.push(each.tagName);
    each.setAttribute("aria-level", 3 + above.length);
  }
}

const DEFINES = /^ {0,3}\[[^\]]+\]:/m; // a definition of a link counts for the text before it too

// Text in Markdown that may grow. Only its last two blocks are parsed again.
export class Said {
  #whole = "";
  #tail = ""; // what is parsed again
  #shown = []; // the blocks of the tail: source, nodes and, for a fence, its code
  #timer = 0;
  #cost = 0;

  constructor(text = "") {
    this.element = made("div", "said");
    if (text) this.set(text);
  }

  get text() { return this.#whole; }

  add(delta) {
    this.#whole += delta;
    this.#tail += delta;
    this.#timer ||= setTimeout(() => this.draw(), Math.max(SOON, 4 * this.#cost));
  }

  // Show exactly this text, now.
  set(text) {
    if (text !== this.#whole || DEFINES.test(text)) {
      this.#whole = this.#tail = text;
      this.#shown = [];
      this.element.replaceChildren();
    }
    this.draw();
  }

  // Draw now what has grown.
  draw() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const began = performance.now();
    const blocks = blocksOf(this.#tail);
    const lines = this.#tail.split("\n");
    const drawn = blocks.map((block, at) => {
      const source = lines.slice(block.line, blocks[at + 1]?.line).join("\n");
      return this.#block(block.tokens, source, this.#shown[at]);
    });
    for (const { nodes } of this.#shown.slice(drawn.length)) for (const each of nodes) each.remove();
    this.#shown = drawn;
    leveled(this.element);
    if (blocks.length > 2) this.#settle(blocks, lines);
    this.#cost = performance.now() - began;
  }

  // What is before the last two blocks does not change any more.
  #settle(blocks, lines) {
    this.#tail = lines.slice(blocks.at(-2).line).join("\n");
    this.#shown = this.#shown.slice(-2);
  }

  #block(tokens, source, before) {
    if (before?.source === source) return before;
    const fence = tokens[0].type === "fence" ? tokens[0] : null;
    if (fence && before?.code?.info === fence.info.trim()) {
      before.code.set(fence.content.replace(/\n$/, ""));
      return { ...before, source };
    }
    let code = null;
    let content;
    if (fence) {
      code = new CodeBlock(fence.info.trim());
      code.set(fence.content.replace(/\n$/, ""));
      content = code.element;
    } else {
      content = built(tokens);
    }
    const nodes = content instanceof DocumentFragment ? [...content.childNodes] : [content];
    if (before?.nodes.length) {
      before.nodes[0].before(...nodes);
      for (const each of before.nodes) each.remove();
    } else {
      this.element.append(...nodes);
    }
    return { source, nodes, code };
  }
}
