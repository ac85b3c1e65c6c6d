// Keys: zot names them, components expect what a terminal sends.

const NAMED = {
  up: "\x1b[A", down: "\x1b[B", right: "\x1b[C", left: "\x1b[D", home: "\x1b[H", end: "\x1b[F", insert: "\x1b[2~",
  delete: "\x1b[3~", pageup: "\x1b[5~", pagedown: "\x1b[6~", enter: "\r", esc: "\x1b", escape: "\x1b", tab: "\t",
  backspace: "\x7f", space: " ", f1: "\x1bOP", f2: "\x1bOQ", f3: "\x1bOR", f4: "\x1bOS", f5: "\x1b[15~",
  f6: "\x1b[17~", f7: "\x1b[18~", f8: "\x1b[19~", f9: "\x1b[20~", f10: "\x1b[21~", f11: "\x1b[23~", f12: "\x1b[24~",
};
const LETTERS = { up: "A", down: "B", right: "C", left: "D", home: "H", end: "F" };
const NUMBERS = { insert: 2, delete: 3, pageup: 5, pagedown: 6 };
const CODES = { enter: 13, esc: 27, escape: 27, tab: 9, backspace: 127, space: 32 };
const BITS = { shift: 1, alt: 2, ctrl: 4, super: 8, hyper: 16 };

/** @param {{key: string, text?: string, mods?: string[]}} frame @returns {string} what a terminal would send */
export function dataOf({ key, text, mods = [] }) {
  if (key === "paste") return `\x1b[200~${text}\x1b[201~`;
  const name = key === "rune" ? text || "" : key;
  if (mods.length === 0) return NAMED[name] ?? name;
  if (name === "tab" && mods.length === 1 && mods[0] === "shift") return "\x1b[Z";
  const letter = [...name].length === 1;
  if (letter && mods.length === 1 && mods[0] === "shift") return name;
  if (letter && mods.length === 1 && mods[0] === "ctrl" && /[a-z[\]\\^_@]/i.test(name)) {
    return String.fromCharCode(name.toUpperCase().charCodeAt(0) & 31);
  }
  if (mods.length === 1 && mods[0] === "alt" && (letter || name === "enter" || name === "backspace")) {
    return `\x1b${NAMED[name] ?? name}`;
  }
  const modifier = 1 + mods.reduce((sum, each) => sum + (BITS[each] ?? 0), 0);
  if (LETTERS[name]) return `\x1b[1;${modifier}${LETTERS[name]}`;
  if (NUMBERS[name]) return `\x1b[${NUMBERS[name]};${modifier}~`;
  const code = CODES[name] ?? (letter ? name.codePointAt(0) : undefined);
  if (code !== undefined) return `\x1b[${code};${modifier}u`;
  return NAMED[name] ?? "";
}
