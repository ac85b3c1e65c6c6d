// What extensions did when they were last loaded. One that guarded something and cannot be loaded any more must not fail open.

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

const toolsOf = (entry) => keptFile("tools", entry);

/** @param {string} entry @returns {boolean} whether an extension added tools when its session began the last time */
export const hasAddedTools = (entry) => readKept(toolsOf(entry), LARGEST) === true;

/** Keeps whether an extension adds tools when its session begins. @param {string} entry @param {boolean} added */
export function keepAddedTools(entry, added) {
  if (!toolsOf(entry) || hasAddedTools(entry) === added) return;
  try {
    keep(toolsOf(entry), JSON.stringify(added));
  } catch (error) {
    console.error(`that ${entry} adds tools cannot be kept:`, error);
  }
}
