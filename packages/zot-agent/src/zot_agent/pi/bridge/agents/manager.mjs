// `SessionManager`: the entries of a conversation of an agent in this process. They are in memory, and in a file of pi's
// format where an extension names a folder or such a file. The files of the person's own conversations are zot's.

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { parseSessionEntries } from "../shims/conversation.mjs";

export const CURRENT_SESSION_VERSION = 3;
const LARGEST_BYTES = 64 * 1024 * 1024;

const bridge = () => globalThis[Symbol.for("zot.pi.bridge")];
const now = () => new Date().toISOString();

/** What the model reads of an entry. @param {any} entry @returns {any[]} messages */
export function sessionEntryToContextMessages(entry) {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message":
      return [entry.message];
    case "custom_message":
      return [{ role: "custom", customType: entry.customType, content: entry.content, display: entry.display, details: entry.details, timestamp }];
    case "compaction":
      return [{ role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp }];
    case "branch_summary":
      return [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp }];
  }
  return [];
}

/** The entries that the model reads: after a compaction its summary, and what it kept. @param {any[]} branch @returns {any[]} */
export function contextEntries(branch) {
  const at = branch.findLastIndex((each) => each.type === "compaction");
  if (at < 0) return branch;
  const first = branch.findIndex((each) => each.id === branch[at].firstKeptEntryId);
  const kept = first < 0 || first > at ? [] : branch.slice(first, at).filter((each) => each.type !== "compaction");
  return [branch[at], ...kept, ...branch.slice(at + 1)];
}

/** @param {any[]} branch from its first entry to its last @returns {{messages: any[], thinkingLevel: string, model: any}} */
export function buildSessionContext(branch) {
  const answer = branch.findLast((each) => each.type === "model_change" || each.message?.role === "assistant");
  const { provider, modelId = answer?.message?.model } = answer?.message ?? answer ?? {};
  return {
    messages: contextEntries(branch).flatMap(sessionEntryToContextMessages),
    thinkingLevel: branch.findLast((each) => each.type === "thinking_level_change")?.thinkingLevel ?? "off",
    model: provider ? { provider, modelId } : null,
  };
}

/** @param {string} file @returns {any[]} Throws for what is no session of pi */
function entriesIn(file) {
  if (fs.statSync(file).size > LARGEST_BYTES) throw new Error(`${file} is larger than ${LARGEST_BYTES / 1024 ** 2} MB`);
  const found = parseSessionEntries(fs.readFileSync(file, "utf8"));
  if (found[0]?.type !== "session") throw new Error(`${file} is not a session of pi; that of zot is ctx.sessionManager`);
  return found;
}

export class SessionManager {
  #header;
  #entries = [];
  #byId = new Map();
  #leaf = null;
  #folder;
  #file;
  #written = false;

  /** @param {string} cwd @param {{folder?: string, file?: string, entries?: any[], id?: string, parentSession?: string}} [options] */
  constructor(cwd, { folder = "", file, entries = [], id, parentSession } = {}) {
    const [first, ...rest] = entries[0]?.type === "session" ? entries : [undefined, ...entries];
    this.#header = { version: CURRENT_SESSION_VERSION, timestamp: now(), cwd, ...first, type: "session", id: id ?? first?.id ?? crypto.randomUUID() };
    if (parentSession) this.#header.parentSession = parentSession;
    this.#header.cwd = cwd || this.#header.cwd;
    this.#folder = folder || (file ? path.dirname(file) : "");
    this.#file = file ?? (folder ? path.join(folder, `${this.#header.timestamp.replace(/[:.]/g, "-")}_${this.#header.id}.jsonl`) : undefined);
    this.#written = file !== undefined && fs.existsSync(file);
    for (const each of rest) this.#keep(each);
  }

  static inMemory(cwd = process.cwd(), options = {}, entries = []) {
    return new SessionManager(cwd, { ...options, entries });
  }

  /** Without a folder it is in memory: zot writes nothing into the folders of pi. */
  static create(cwd, sessionDir, options = {}) {
    return new SessionManager(cwd, { ...options, folder: sessionDir });
  }

  /** A file of pi, or zot's file of the conversation, of which this is a copy. */
  static open(file, sessionDir, cwd) {
    const { sessions } = bridge();
    if (file === sessions.getSessionFile()) {
      const entries = [{ ...sessions.getHeader() }, ...sessions.getBranch()];
      return new SessionManager(cwd ?? sessions.getCwd(), { folder: sessionDir, entries });
    }
    if (!fs.existsSync(file)) return new SessionManager(cwd ?? process.cwd(), { file });
    const entries = entriesIn(file);
    return new SessionManager(cwd ?? entries[0].cwd, { file, entries });
  }

  static continueRecent(cwd, sessionDir) {
    const names = sessionDir && fs.existsSync(sessionDir) ? fs.readdirSync(sessionDir).filter((each) => each.endsWith(".jsonl")).sort() : [];
    return names.length ? SessionManager.open(path.join(sessionDir, names.at(-1)), sessionDir, cwd) : SessionManager.create(cwd, sessionDir);
  }

  static forkFrom(file, cwd, sessionDir, options = {}) {
    const entries = SessionManager.open(file).getEntries();
    return new SessionManager(cwd, { ...options, folder: sessionDir, entries, parentSession: file });
  }

  static async list() { return stored("cwd"); }
  static async listAll() { return stored("all"); }

  #keep(entry) {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    this.#leaf = entry.id;
  }

  #append(fields) {
    let id;
    do id = randomBytes(4).toString("hex"); while (this.#byId.has(id));
    const { type, ...rest } = fields;
    const entry = { type, id, parentId: this.#leaf, timestamp: now(), ...rest };
    this.#keep(entry);
    this.#write(entry);
    this.onAppend?.(entry);
    return id;
  }

  #write(entry) {
    if (!this.#file) return;
    const rows = this.#written && entry ? [entry] : [this.#header, ...this.#entries];
    if (!this.#written) fs.mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    fs.appendFileSync(this.#file, rows.map((each) => `${JSON.stringify(each)}\n`).join(""), { mode: 0o600 });
    this.#written = true;
  }

  appendMessage(message) { return this.#append({ type: "message", message }); }
  appendThinkingLevelChange(thinkingLevel) { return this.#append({ type: "thinking_level_change", thinkingLevel }); }
  appendModelChange(provider, modelId) { return this.#append({ type: "model_change", provider, modelId }); }
  appendCustomEntry(customType, data) { return this.#append({ type: "custom", customType, data }); }
  appendSessionInfo(name) { return this.#append({ type: "session_info", name: name.trim() }); }
  appendLabelChange(targetId, label) { return this.#append({ type: "label", targetId, label }); }
  appendCustomMessageEntry(customType, content, display, details) {
    return this.#append({ type: "custom_message", customType, content, display, details });
  }

  appendCompaction(summary, firstKeptEntryId, tokensBefore, details, fromHook) {
    return this.#append({ type: "compaction", summary, firstKeptEntryId, tokensBefore, details, fromHook });
  }

  newSession({ id, parentSession } = {}) {
    this.#header = { ...this.#header, id: id ?? crypto.randomUUID(), timestamp: now(), parentSession };
    [this.#entries, this.#leaf, this.#written] = [[], null, false];
    this.#byId.clear();
    if (this.#folder) this.#file = path.join(this.#folder, `${this.#header.timestamp.replace(/[:.]/g, "-")}_${this.#header.id}.jsonl`);
    return this.#file;
  }

  branch(id) {
    if (!this.#byId.has(id)) throw new Error(`Entry ${id} not found`);
    this.#leaf = id;
  }

  resetLeaf() { this.#leaf = null; }

  branchWithSummary(id, summary, details, fromHook) {
    this.#leaf = id;
    return this.#append({ type: "branch_summary", fromId: id ?? "root", summary, details, fromHook });
  }

  /** Makes a session of the path to an entry, in a file if this one may have one. @returns {string | undefined} */
  createBranchedSession(leafId) {
    const entries = this.getBranch(leafId);
    const parent = this.#file;
    this.newSession({ parentSession: parent });
    for (const each of entries) this.#keep(each);
    this.#write(undefined);
    return this.#file;
  }

  getCwd() { return this.#header.cwd; }
  getSessionDir() { return this.#folder; }
  getSessionId() { return this.#header.id; }
  getSessionFile() { return this.#file; }
  isPersisted() { return this.#file !== undefined; }
  getHeader() { return this.#header; }
  getEntries() { return [...this.#entries]; }
  getEntryCount() { return this.#entries.length; }
  getEntry(id) { return this.#byId.get(id); }
  getLeafId() { return this.#leaf; }
  getLeafEntry() { return this.#byId.get(this.#leaf); }
  getChildren(id) { return this.#entries.filter((each) => each.parentId === id); }
  getLabel(id) { return this.#entries.findLast((each) => each.type === "label" && each.targetId === id)?.label; }
  getSessionName() { return this.#entries.findLast((each) => each.type === "session_info")?.name || undefined; }
  buildContextEntries() { return contextEntries(this.getBranch()); }
  buildSessionContext() { return buildSessionContext(this.getBranch()); }
  buildSessionProjection() { return { entries: [], ...this.buildSessionContext() }; }

  getBranch(from = this.#leaf) {
    const found = [];
    for (let entry = this.#byId.get(from); entry; entry = this.#byId.get(entry.parentId)) found.push(entry);
    return found.reverse();
  }

  getTree() {
    const nodes = new Map(this.#entries.map((entry) => [entry.id, { entry, children: [], label: this.getLabel(entry.id) }]));
    const roots = [];
    for (const node of nodes.values()) (nodes.get(node.entry.parentId)?.children ?? roots).push(node);
    return roots;
  }
}

/** The stored sessions of zot. @param {"cwd" | "all"} scope */
async function stored(scope) {
  const { sessions } = await bridge().wire.call("session.list", { scope, limit: 500 });
  return sessions.map((each) => ({
    path: each.path, id: each.id, cwd: each.cwd, name: each.title || undefined, created: new Date(each.started),
    modified: new Date(each.used), messageCount: each.messages, firstMessage: each.title ?? "", allMessagesText: "",
  }));
}
