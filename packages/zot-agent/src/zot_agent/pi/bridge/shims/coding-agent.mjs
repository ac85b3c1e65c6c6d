// `pi-coding-agent`: what extensions call of it. What only the process of pi has is in `load/unavailable.mjs`.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export * from "./conversation.mjs";
export * from "./diff.mjs";
export * from "./tools.mjs";
export * from "./truncate.mjs";
export { Theme, getLanguageFromPath, getMarkdownTheme, getSelectListTheme, getSettingsListTheme, highlightCode, initTheme } from "../screen/theme.mjs";

export const VERSION = "1.6.0";
export const CONFIG_DIR_NAME = ".pi";
export const APP_NAME = "pi";
export const defineTool = (tool) => tool;
export const createEventBus = () => globalThis[Symbol.for("zot.pi.bridge")].bus;
export const createSyntheticSourceInfo = (file, options) => ({ path: file, scope: "temporary", origin: "top-level", ...options });

const atHome = (folder) => folder.replace(/^~(?=\/|$)/, os.homedir());

/** @returns {string} the folder of pi's own files, with what a person keeps there for extensions */
export function getAgentDir() {
  const given = process.env.PI_CODING_AGENT_DIR;
  return given ? atHome(given) : path.join(os.homedir(), ".pi", "agent");
}

/** @returns {string} where pi has its program: the folder of the bridge */
export function getPackageDir() {
  const given = process.env.PI_PACKAGE_DIR;
  return given ? atHome(given) : path.resolve(fileURLToPath(new URL("..", import.meta.url)));
}

const isNamed = (name) => (event) => event.toolName === name;
export const isBashToolResult = isNamed("bash");
export const isPowerShellToolResult = isNamed("powershell");
export const isReadToolResult = isNamed("read");
export const isEditToolResult = isNamed("edit");
export const isWriteToolResult = isNamed("write");
export const isGrepToolResult = isNamed("grep");
export const isFindToolResult = isNamed("find");
export const isLsToolResult = isNamed("ls");
export const isToolCallEventType = (name, event) => event.toolName === name;

/** @param {string} text @returns {{frontmatter: any, body: string}} simple `name: value` lines */
export function parseFrontmatter(text) {
  const found = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text);
  if (!found) return { frontmatter: {}, body: text };
  const frontmatter = {};
  let list = null;
  for (const line of found[1].split(/\r?\n/)) {
    const item = /^\s+-\s+(.*)$/.exec(line);
    if (item && list) list.push(valueOf(item[1]));
    const pair = /^([A-Za-z0-9_-]+):\s*(.*)$/.exec(line);
    if (!pair) continue;
    list = pair[2] === "" ? [] : null;
    frontmatter[pair[1]] = list ?? valueOf(pair[2]);
  }
  return { frontmatter, body: text.slice(found[0].length).trim() };
}

function valueOf(text) {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (/^\[.*\]$/.test(value)) return value.slice(1, -1).split(",").map((each) => valueOf(each)).filter((each) => each !== "");
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}

export const stripFrontmatter = (text) => parseFrontmatter(text).body;

/** @returns {{shell: string, args: string[]}} */
export function getShellConfig() {
  const shell = ["/bin/bash", "/usr/bin/bash"].find((each) => fs.existsSync(each)) ?? "sh";
  return { shell, args: ["-c"] };
}

/** Copies with the terminal's own sequence where there is a program for it. @param {string} text */
export async function copyToClipboard(text) {
  const { spawn } = await import("node:child_process");
  for (const [program, ...args] of [["pbcopy"], ["wl-copy"], ["xclip", "-selection", "clipboard"], ["clip"]]) {
    const done = await new Promise((resolve) => {
      const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
      child.on("error", () => resolve(false));
      child.on("close", (code) => resolve(code === 0));
      child.stdin.on("error", () => {});
      child.stdin.end(text);
    });
    if (done) return;
  }
  throw new Error("there is no program that copies: install wl-copy or xclip");
}

/** The settings of pi's own files, which extensions read for their own values. */
export class SettingsManager {
  #values;

  constructor(values) {
    this.#values = values;
  }

  static create(cwd = process.cwd()) {
    const read = (file) => {
      try {
        return JSON.parse(fs.readFileSync(file, "utf8"));
      } catch {
        return {};
      }
    };
    return new SettingsManager({ ...read(path.join(getAgentDir(), "settings.json")), ...read(path.join(cwd, ".pi", "settings.json")) });
  }

  static inMemory(values = {}) {
    return new SettingsManager(values);
  }

  getGlobalSettings() { return this.#values; }
  getProjectSettings() { return {}; }
  getDefaultProvider() { return this.#values.defaultProvider; }
  getDefaultModel() { return this.#values.defaultModel; }
  getTheme() { return this.#values.theme; }
  getShellPath() { return this.#values.shellPath; }
  getDefaultThinkingLevel() { return this.#values.defaultThinkingLevel; }
  getSteeringMode() { return this.#values.steeringMode ?? "one-at-a-time"; }
  getFollowUpMode() { return this.#values.followUpMode ?? "one-at-a-time"; }
  getCompactionSettings() { return { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000, ...this.#values.compaction }; }
  getCompactionEnabled() { return this.getCompactionSettings().enabled; }
  /** Atomic's: whether requests to Codex have priority. */
  getCodexFastModeSettings() { return { chat: false, workflow: false, ...this.#values.codexFastMode }; }
  applyOverrides(values) { this.#values = { ...this.#values, ...values }; }
}
