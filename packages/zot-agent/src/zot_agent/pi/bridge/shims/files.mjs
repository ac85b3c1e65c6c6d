// The tools read, write and edit with operations of an extension.

import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DEFAULT_MAX_BYTES, formatSize, truncateHead } from "./truncate.mjs";

const local = {
  readFile: (file) => fs.readFile(file), access: (file) => fs.access(file), mkdir: (folder) => fs.mkdir(folder, { recursive: true }),
  writeFile: (file, content) => fs.writeFile(file, content, "utf8"), detectImageMimeType: async () => null,
};
const full = (cwd, given) => path.resolve(cwd, given.replace(/^@/, "").replace(/^~(?=\/|$)/, os.homedir()));
const answer = (text, details) => ({ content: [{ type: "text", text }], details });

/** @param {string} cwd @param {{operations?: any}} options */
export function createRead(cwd, options) {
  const operations = { ...local, ...options.operations };
  return async (_, { path: given, offset, limit }, signal) => {
    const file = full(cwd, given);
    await operations.access(file);
    signal?.throwIfAborted();
    const mimeType = await operations.detectImageMimeType?.(file);
    const bytes = Buffer.from(await operations.readFile(file));
    if (mimeType) return { content: [{ type: "text", text: `Read image file [${mimeType}]` }, { type: "image", data: bytes.toString("base64"), mimeType }], details: undefined };
    const lines = bytes.toString("utf8").split("\n");
    const first = Math.max(0, (offset ?? 1) - 1);
    if (first >= lines.length) throw new Error(`Offset ${offset} is beyond end of file (${lines.length} lines total)`);
    const chosen = lines.slice(first, limit === undefined ? undefined : first + limit);
    const truncation = truncateHead(chosen.join("\n"));
    if (truncation.firstLineExceedsLimit) return answer(`[Line ${first + 1} exceeds ${formatSize(DEFAULT_MAX_BYTES)}. Use bash to read a part of it.]`, { truncation });
    const next = first + (truncation.truncated ? truncation.outputLines : chosen.length);
    const more = next < lines.length ? `\n\n[${lines.length - next} more lines in file. Use offset=${next + 1} to continue.]` : "";
    return answer(truncation.content + more, truncation.truncated ? { truncation } : undefined);
  };
}

/** @param {string} cwd @param {{operations?: any}} options */
export function createWrite(cwd, options) {
  const operations = { ...local, ...options.operations };
  return async (_, { path: given, content }) => {
    const file = full(cwd, given);
    await operations.mkdir(path.dirname(file));
    await operations.writeFile(file, content);
    return answer(`Successfully wrote ${Buffer.byteLength(content)} bytes to ${given}`);
  };
}

/** @param {string} cwd @param {{operations?: any}} options */
export function createEdit(cwd, options) {
  const operations = { ...local, ...options.operations };
  return async (_, { path: given, edits }) => {
    const file = full(cwd, given);
    await operations.access(file);
    const before = Buffer.from(await operations.readFile(file)).toString("utf8");
    const places = edits.map(({ oldText, newText }) => {
      const at = before.indexOf(oldText);
      if (at < 0) throw new Error(`Could not find the exact text in ${given}. The old text must match exactly including all whitespace and newlines.`);
      if (before.indexOf(oldText, at + 1) >= 0) throw new Error(`Found several occurrences of the text in ${given}. The text must be unique.`);
      return { at, end: at + oldText.length, oldText, newText };
    }).sort((one, other) => one.at - other.at);
    let [after, last] = ["", 0];
    for (const { at, end, newText } of places) {
      if (at < last) throw new Error("edits must not overlap");
      after += before.slice(last, at) + newText;
      last = end;
    }
    after += before.slice(last);
    await operations.writeFile(file, after);
    const diff = places.map(({ oldText, newText }) => [...oldText.split("\n").map((line) => `-${line}`), ...newText.split("\n").map((line) => `+${line}`)].join("\n")).join("\n");
    return answer(`Successfully replaced ${edits.length} block(s) in ${given}.`, { diff, firstChangedLine: before.slice(0, places[0]?.at ?? 0).split("\n").length });
  };
}
