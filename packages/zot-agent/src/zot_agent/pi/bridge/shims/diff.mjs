// Two texts compared by lines, as pi shows and stores edits.

const SAME = " ", GONE = "-", NEW = "+";
/** The largest table of lines against lines; beyond it the lines between those that begin and end alike count as all changed. */
const MOST_CELLS = 4_000_000;
const NO_END = "\\ No newline at end of file";

/** @typedef {{kind: string, text: string, old: number, now: number}} Line its number in each text, from 1 */

/** @param {string} text @returns {string[]} its lines, each with its line break */
const linesOf = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** @param {string[]} one @param {string[]} other @returns {string} the kind of each line, a letter each */
function kinds(one, other) {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [gone, come] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return SAME.repeat(start) + between(gone, come) + SAME.repeat(end);
}

function between(gone, come) {
  const width = come.length + 1;
  if ((gone.length + 1) * width > MOST_CELLS) return GONE.repeat(gone.length) + NEW.repeat(come.length);
  const common = new Uint32Array((gone.length + 1) * width); // how many lines the rests have in common
  for (let i = gone.length - 1; i >= 0; i -= 1) {
    for (let j = come.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      common[at] = gone[i] === come[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
    }
  }
  let found = "";
  for (let i = 0, j = 0; i < gone.length || j < come.length;) {
    const at = i * width + j;
    if (i < gone.length && j < come.length && gone[i] === come[j]) [found, i, j] = [found + SAME, i + 1, j + 1];
    else if (i < gone.length && (j === come.length || common[at + width] >= common[at + 1])) [found, i] = [found + GONE, i + 1];
    else [found, j] = [found + NEW, j + 1];
  }
  return found;
}

/** @param {string} before @param {string} after @returns {Line[]} */
function compared(before, after) {
  const [one, other] = [linesOf(before), linesOf(after)];
  let [old, now] = [0, 0];
  return [...kinds(one, other)].map((kind) => {
    const text = kind === NEW ? other[now] : one[old];
    if (kind !== NEW) old += 1;
    if (kind !== GONE) now += 1;
    return { kind, text, old, now };
  });
}

/** @param {Line[]} lines @param {number} context @returns {[number, number][]} the places that are shown, with some lines around changes */
function hunks(lines, context) {
  const found = [];
  for (const [at, { kind }] of lines.entries()) {
    if (kind === SAME) continue;
    const [from, to] = [Math.max(0, at - context), Math.min(lines.length, at + context + 1)];
    if (found.length && from <= found.at(-1)[1]) found.at(-1)[1] = to;
    else found.push([from, to]);
  }
  return found;
}

/** @param {Line[]} lines @param {number} context @returns {Line[][]} */
const hunksOf = (lines, context) => hunks(lines, context).map(([from, to]) => lines.slice(from, to));

/** @param {Line[][]} parts @param {number} most the largest number of a line @param {boolean} more whether lines follow */
function numbered(parts, most, more) {
  const width = String(most).length;
  const left = `${" ".repeat(width + 2)}...`;
  const rows = parts.flatMap((part, index) => [
    ...(index > 0 || Math.max(part[0].old, part[0].now) > 1 ? [left] : []),
    ...part.map(({ kind, text, old, now }) => `${kind}${String(kind === NEW ? now : old).padStart(width)} ${text.replace(/\n$/, "")}`),
  ]);
  const first = parts.flat().find(({ kind }) => kind !== SAME);
  const firstChangedLine = first && (first.kind === GONE ? first.now + 1 : first.now);
  return { diff: [...rows, ...(more && parts.length ? [left] : [])].join("\n"), firstChangedLine };
}

/** @param {string} path @param {Line[][]} parts */
function patchOf(path, parts) {
  const rows = [`--- ${path}`, `+++ ${path}`];
  for (const part of parts) {
    const [olds, nows] = [GONE, NEW].map((kind) => part.filter((each) => each.kind === kind || each.kind === SAME).length);
    const [{ kind: first, old, now }] = part;
    const from = `${old - Number(first !== NEW) + Number(olds > 0)},${olds}`, to = `${now - Number(first !== GONE) + Number(nows > 0)},${nows}`;
    rows.push(`@@ -${from} +${to} @@`);
    for (const { kind, text } of part) rows.push(kind + text.replace(/\n$/, ""), ...(text.endsWith("\n") ? [] : [NO_END]));
  }
  return `${rows.join("\n")}\n`;
}

/** The changes with the numbers of lines, for people. @param {string} before @param {string} after @param {number} [context] lines
 * @returns {{diff: string, firstChangedLine: number | undefined}} its first changed line in the new text */
export function generateDiffString(before, after, context = 4) {
  const lines = compared(before, after);
  const places = hunks(lines, context);
  return numbered(hunksOf(lines, context), Math.max(linesOf(before).length, linesOf(after).length), places.at(-1)?.[1] < lines.length);
}

/** A patch that `patch` and git read. @param {string} path @param {string} before @param {string} after @param {number} [context] lines */
export function generateUnifiedPatch(path, before, after, context = 4) {
  return patchOf(path, hunksOf(compared(before, after), context));
}

/** What zot's `edit` says of its changes, as pi says it. @param {any} details of zot: `diff` without numbers, a line `...`
 * between its hunks, and in `starts` the numbers of their first lines before and after @returns {object} */
export function editDetails({ path, edits: _, diff, starts, ...others }) {
  const parts = diff.split("\n...\n").map((hunk, index) => {
    let [old, now] = starts[index].map((each) => each - 1);
    return hunk.split("\n").filter((row) => [SAME, GONE, NEW].includes(row[0])).map((row) => {
      if (row[0] !== NEW) old += 1;
      if (row[0] !== GONE) now += 1;
      return { kind: row[0], text: `${row.slice(1)}\n`, old, now };
    });
  }).filter((part) => part.length);
  const most = Math.max(...parts.flat().map((each) => Math.max(each.old, each.now)));
  return { ...others, ...numbered(parts, most, false), patch: patchOf(path, parts) };
}
