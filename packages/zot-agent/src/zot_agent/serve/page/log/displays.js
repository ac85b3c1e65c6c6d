// Display blocks: what a person sees of a tool's work. There is one renderer for each kind, and no tool is known by name.

import { made } from "../dom.js";
import { spans } from "../ext/spans.js";
import { CodeBlock } from "./code.js";
import { Said } from "./markdown.js";
import { picture } from "./pictures.js";

const LONGEST = 20_000; // characters of a text that are shown
const LINES = 2000; // of a change

const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters` : text);

function output(text, name = "output") {
  const pre = made("pre", name);
  pre.tabIndex = 0; // it can be scrolled with keys
  pre.append(...cut(text).split("\n").flatMap((line, at) => (at ? ["\n", ...spans(line)] : spans(line))));
  return pre;
}

function change({ path, diff, starts }) {
  const pre = made("pre", "diff");
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", `Change of ${path}`);
  const left = [...starts];
  let [before, after] = left.shift() ?? [];
  const rows = diff.split("\n");
  for (const row of rows.slice(0, LINES)) {
    if (row === "...") {
      [before, after] = left.shift() ?? [];
      pre.append(made("span", "gap", "…\n"));
      continue;
    }
    const kind = { "+": "added", "-": "removed" }[row[0]] ?? "same";
    const number = kind === "removed" ? before : after;
    if (kind !== "added" && before) before += 1;
    if (kind !== "removed" && after) after += 1;
    const line = made("span", kind);
    if (number) line.dataset.line = number;
    line.append(`${row}\n`);
    pre.append(line);
  }
  if (rows.length > LINES) pre.append(`… ${rows.length - LINES} more lines`);
  return pre;
}

const counted = (diff) => {
  const rows = diff.split("\n");
  const of = (sign) => rows.filter((row) => row[0] === sign).length;
  return `+${of("+")} −${of("-")}`;
};

const KINDS = {
  text: ({ text }) => output(text),
  markdown: ({ text }) => new Said(cut(text)).element,
  code({ path, text, start_line: first }) {
    const block = new CodeBlock(/\.([\w+]+)$/.exec(path)?.[1] ?? "");
    block.element.querySelector("span").textContent = first > 1 ? `${path}, from line ${first}` : path;
    block.set(cut(text));
    return block.element;
  },
  diff: change,
  files({ paths }) {
    return output(paths.join("\n"));
  },
  terminal: ({ command, output: text }) => {
    const part = made("div", "terminal");
    part.append(made("pre", "command", command));
    if (text) part.append(output(text));
    return part;
  },
  image: (block, ask) => picture(block, ask),
  todo: ({ items }) => todo(items),
};

export function todo(items) {
  const list = made("ul", "todo");
  const words = { completed: "done", in_progress: "in progress", pending: "to do" };
  list.append(...items.map(({ content, status }) => {
    const item = made("li", status);
    item.append(made("span", "state", words[status] ?? status), " ", content);
    return item;
  }));
  return list;
}

// The element of a display block; `ask` sends a command and returns a promise of the data.
export const display = (block, ask) => (KINDS[block.kind] ?? ((other) => output(JSON.stringify(other))))(block, ask);

const number = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// A few words about a block for the line of its cell.
export function facts(block) {
  if (block.kind === "diff") return counted(block.diff);
  if (block.kind === "terminal") return block.exit_code ? `exit code ${block.exit_code}` : "";
  if (block.kind === "code") return number(block.text.replace(/\n$/, "").split("\n").length, "line");
  if (block.kind === "files") return number(block.paths.length, "file");
  return "";
}

// Whether a block is so short that it is shown at once.
export const short = (block) => ["todo", "image"].includes(block.kind) || (block.kind === "diff" && block.diff.split("\n").length <= 60);
