// Files in zot's folder of the bridge, which every process of it may read and write at any time.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** @param {string} kind a folder @param {string} about what the file is about @returns {string} the path of the file; empty
 * without a place for it */
export function keptFile(kind, about) {
  const folder = process.env.ZOT_PI_CACHE;
  return folder ? path.join(folder, kind, `${digest(about)}.json`) : "";
}

/** @param {string} text */
export const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** @param {string} file @param {number} largest in bytes @returns {any} what is kept; null if that cannot be read */
export function readKept(file, largest) {
  try {
    return statSync(file).size <= largest ? JSON.parse(readFileSync(file, "utf8")) : null;
  } catch {
    return null;
  }
}

/** Writes a file whole, or not at all: others may read or write it just now. An error if it cannot be written.
 * @param {string} file @param {string} text */
export function keep(file, text, mode = 0o600) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text, { mode });
  renameSync(`${file}.${process.pid}`, file);
}
