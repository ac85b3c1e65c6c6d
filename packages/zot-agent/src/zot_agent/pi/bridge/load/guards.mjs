// What extensions guarded when they were last loaded. One that cannot be loaded any more must not fail open.

import { rmSync } from "node:fs";
import { keep, keptFile, readKept } from "./kept.mjs";

const LARGEST = 1 << 16;
const fileOf = (entry) => keptFile("guards", entry);

/** @param {string} entry @returns {string[]} the events that an extension guarded */
export function guardedBy(entry) {
  const found = readKept(fileOf(entry), LARGEST);
  return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
}

/** Keeps the events that an extension guards. @param {string} entry @param {string[]} events */
export function keepGuards(entry, events) {
  const file = fileOf(entry);
  if (!file || JSON.stringify(guardedBy(entry)) === JSON.stringify(events)) return;
  try {
    if (events.length === 0) rmSync(file);
    else keep(file, JSON.stringify(events));
  } catch (error) {
    console.error(`what ${entry} guards cannot be kept:`, error);
  }
}
