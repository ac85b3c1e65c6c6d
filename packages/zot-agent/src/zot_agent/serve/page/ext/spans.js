// Lines of extensions and output of commands: spans with tokens of the theme, or text with colours of the terminal (SGR).

import { made } from "../dom.js";

const TOKEN = /^[a-z_]+(\.[a-z_]+)*$/;
const COLOUR = /^#[0-9a-fA-F]{6}$/;
const ATTRIBUTES = ["bold", "faint", "italic", "underline", "inverse", "strike"];
const BASIC = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// What a terminal would obey: other escape sequences, and control characters but the tab.
// eslint-disable-next-line no-control-regex
const CONTROL = /\x1b\[([0-9;:?]*)([ -/]*[@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?|[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f]/g;

const hex = (red, green, blue) => `#${[red, green, blue].map((each) => (each & 255).toString(16).padStart(2, "0")).join("")}`;

// A colour of the table of 256.
function indexed(number) {
  if (number < 16) return BASIC[number % 8];
  if (number >= 232) return hex(...Array(3).fill(8 + (number - 232) * 10));
  const level = (each) => (each ? 55 + each * 40 : 0);
  const at = number - 16;
  return hex(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

const ON = { 1: "bold", 2: "faint", 3: "italic", 4: "underline", 7: "inverse", 9: "strike" };
const OFF = { 22: ["bold", "faint"], 23: ["italic"], 24: ["underline"], 27: ["inverse"], 29: ["strike"] };

function changed(style, codes) {
  const numbers = codes.split(/[;:]/).map(Number);
  let now = { ...style };
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at];
    if (code === 0) now = {};
    else if (ON[code]) now[ON[code]] = true;
    else if (OFF[code]) for (const each of OFF[code]) delete now[each];
    else if (code === 39) delete now.style;
    else if (code === 49) delete now.bg;
    else if (code === 38 || code === 48) {
      const name = code === 38 ? "style" : "bg";
      if (numbers[at + 1] === 5) { now[name] = indexed(numbers[at + 2]); at += 2; }
      else if (numbers[at + 1] === 2) { now[name] = hex(...numbers.slice(at + 2, at + 5)); at += 4; }
    } else if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) now.style = BASIC[code % 10];
    else if ((code >= 40 && code < 48) || (code >= 100 && code < 108)) now.bg = BASIC[code % 10];
  }
  return now;
}

// The spans of a text with colours of the terminal.
function read(text) {
  const found = [];
  let style = {};
  let last = 0;
  for (const match of text.matchAll(CONTROL)) {
    if (match.index > last) found.push({ ...style, text: text.slice(last, match.index) });
    last = match.index + match[0].length;
    if (match[2] === "m") style = changed(style, match[1]);
  }
  if (last < text.length) found.push({ ...style, text: text.slice(last) });
  return found;
}

function paint(element, value, kind) {
  if (typeof value !== "string") return;
  if (COLOUR.test(value)) element.style[kind === "t" ? "color" : "backgroundColor"] = value;
  else if (BASIC.includes(value)) element.classList.add(`${kind}-ansi-${value}`);
  else if (TOKEN.test(value)) element.classList.add(`${kind}-${value.replaceAll(/[._]/g, "-")}`);
}

function span(given) {
  const text = String(given.text ?? "");
  const names = ATTRIBUTES.filter((each) => given[each] === true);
  if (!names.length && !given.style && !given.bg) return text;
  const element = made("span", names.map((each) => `a-${each}`).join(" "), text);
  paint(element, given.style, "t");
  paint(element, given.bg, "b");
  return element;
}

// The nodes of a line: a text, or a list of spans.
export const spans = (line) => (typeof line === "string" ? read(line) : line).map(span);
