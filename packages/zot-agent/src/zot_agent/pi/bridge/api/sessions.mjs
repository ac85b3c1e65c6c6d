// `ctx.sessionManager`: the entries of the session, read from zot when they are asked for and kept until they change.

import { dirname } from "node:path";
import { toMessages, usageOf } from "../events/messages.mjs";
import { nameInPi } from "./names.mjs";

const PAGE = 1000;

/** What stands for an entry without data, which zot does not store. */
export const NO_DATA = { pi: "no data" };

export class SessionReader {
  #bridge;
  #entries = null;
  #branch = null;
  #info = null;
  #ids = new Map();
  #labels = new Map();

  /** @param {import("./bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  /** Reads again when next asked. */
  forget() {
    this.#entries = this.#branch = this.#info = null;
  }

  #about() {
    this.#info ??= this.#bridge.wire.callNow("session.info");
    return this.#info;
  }

  #read(params) {
    const found = [];
    let after;
    for (;;) {
      const page = this.#bridge.wire.callNow("session.entries", { content: true, limit: PAGE, after, ...params });
      found.push(...page.entries);
      if (!page.more || page.entries.length === 0) return found;
      after = page.entries.at(-1).id;
    }
  }

  /** @param {any[]} rows of zot @returns {any[]} entries; a batch of results is several */
  #converted(rows) {
    const names = this.#bridge.toolNames;
    const found = [];
    const last = new Map(); // the last entry that was made of a row
    for (const row of rows) {
      const parentId = row.parent ? (last.get(row.parent) ?? row.parent) : null;
      const made = entriesOf({ ...row, parent: parentId }, names);
      for (const each of made) this.#ids.set(each.id, row.id);
      if (row.label) this.#labels.set(row.id, row.label);
      else this.#labels.delete(row.id);
      last.set(row.id, made.at(-1).id);
      found.push(...made);
    }
    return found;
  }

  /** zot counts tokens of the whole conversation and not of each answer, so the last answer has the sum. */
  #withUsage(entries) {
    const last = entries.findLast((each) => each.type === "message" && each.message.role === "assistant");
    if (last) {
      const { usage, provider, model } = this.#bridge.wire.callNow("control.state");
      Object.assign(last.message, { usage: usageOf(usage), provider: nameInPi(provider), model });
    }
    return entries;
  }

  /** @param {string} id of an entry @returns {string} the id of the row of zot */
  rowOf(id) {
    return this.#ids.get(id) ?? id;
  }

  getEntries() {
    this.#entries ??= this.#withUsage(this.#converted(this.#read({ whole_tree: true })));
    return [...this.#entries];
  }

  getBranch(from) {
    if (from) return this.#converted(this.#read({ to: this.rowOf(from) }));
    this.#branch ??= this.#withUsage(this.#converted(this.#read({})));
    return [...this.#branch];
  }

  getEntry(id) {
    return this.getEntries().find((each) => each.id === id);
  }

  getChildren(id) {
    return this.getEntries().filter((each) => each.parentId === id);
  }

  getLeafEntry() {
    return this.getBranch().at(-1);
  }

  getLeafId() {
    return this.getLeafEntry()?.id ?? null;
  }

  getLabel(id) {
    this.getEntries();
    return this.#labels.get(this.rowOf(id));
  }

  getTree() {
    const nodes = this.getEntries().map((entry) => ({ entry, children: [], label: this.#labels.get(entry.id) }));
    const byId = new Map(nodes.map((node) => [node.entry.id, node]));
    const roots = [];
    for (const node of nodes) (byId.get(node.entry.parentId)?.children ?? roots).push(node);
    return roots;
  }

  getHeader() {
    return { type: "session", version: 3, id: this.getSessionId(), timestamp: new Date().toISOString(), cwd: this.getCwd() };
  }

  buildSessionContext() {
    const messages = this.getBranch().filter((each) => each.type === "message").map((each) => each.message);
    const { provider, id } = this.#bridge.models.current() ?? {};
    return { messages, thinkingLevel: this.#bridge.models.level(), model: id ? { provider, modelId: id } : null };
  }

  getCwd() {
    return this.#bridge.cwd;
  }

  getSessionId() {
    return this.#about().id;
  }

  getSessionFile() {
    return this.#about().file ?? undefined;
  }

  getSessionDir() {
    const file = this.getSessionFile();
    return file ? dirname(file) : "";
  }

  getSessionName() {
    return this.#about().title || undefined;
  }

  isPersisted() {
    return Boolean(this.getSessionFile());
  }
}

/** Converts an entry of zot.
 * @param {any} row @param {Map<string, string>} names the tools of calls, which is filled here @returns {any[]} */
export function entriesOf(row, names) {
  const timestamp = row.time ?? new Date(0).toISOString();
  const base = { id: row.id, parentId: row.parent ?? null, timestamp };
  switch (row.kind) {
    case "custom":
      return [{ type: "custom", ...base, customType: row.custom_type, data: row.data?.pi === NO_DATA.pi ? undefined : row.data }];
    case "compaction":
      return [{ type: "compaction", ...base, summary: textIn(row), firstKeptEntryId: "", tokensBefore: 0 }];
    case "branch_summary":
      return [{ type: "branch_summary", ...base, fromId: base.parentId ?? "", summary: textIn(row) }];
  }
  const content = row.content ?? [{ type: "text", text: row.text ?? "" }];
  for (const block of content) if (block.type === "tool_call") names.set(block.id, block.name);
  const messages = toMessages({ ...row, role: row.kind, content, time: timestamp }, (id) => names.get(id) ?? "");
  if (messages[0]?.role === "custom") {
    const { customType, content: text, display, details } = messages[0];
    return [{ type: "custom_message", ...base, customType, content: text, display, details }];
  }
  let parentId = base.parentId;
  return messages.map((message, index) => {
    const id = index === messages.length - 1 ? row.id : `${row.id}.${index + 1}`;
    const entry = { type: "message", id, parentId, timestamp, message };
    parentId = id;
    return entry;
  });
}

function textIn(row) {
  return (row.content ?? []).map((each) => each.text ?? "").join("") || row.text || "";
}
