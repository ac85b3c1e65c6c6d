// What extensions guarded when they were last loaded. One that cannot be loaded any more must not fail open.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const LARGEST = 1 << 16;

/** @param {string} entry @returns {string} the file about an extension; empty without a place for it */
function fileOf(entry) {
  const folder = process.env.ZOT_PI_CACHE;
  const name = createHash("sha256").update(entry).digest("hex").slice(0, 32);
  return folder ? path.join(folder, "guards", `${name}.json`) : "";
}

/** @param {string} entry @returns {string[]} the events that an extension guarded */
export function guardedBy(entry) {
  try {
    const text = readFileSync(fileOf(entry), "utf8");
    const found = text.length <= LARGEST ? JSON.parse(text) : [];
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}

/** Keeps the events that an extension guards. @param {string} entry @param {string[]} events */
export function keepGuards(entry, events) {
  const file = fileOf(entry);
  if (!file || JSON.stringify(guardedBy(entry)) === JSON.stringify(events)) return;
  try {
    if (events.length === 0) return rmSync(file);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(events), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch (error) {
    console.error(`what ${entry} guards cannot be kept:`, error);
  }
  return undefined;
}
