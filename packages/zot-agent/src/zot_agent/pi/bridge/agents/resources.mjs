// `DefaultResourceLoader`: what an agent in this process is given: extensions, skills, prompt templates, instructions.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createApi } from "../api/api.mjs";
import { createRegistrations, sourceOf } from "../api/registrations.mjs";
import { builtinOf, entriesOf } from "../load/entries.mjs";
import { load } from "../load/loader.mjs";
import { getAgentDir, parseFrontmatter, SettingsManager } from "../shims/coding-agent.mjs";

const INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md"];
const DEPTH = 6;

const bridge = () => globalThis[Symbol.for("zot.pi.bridge")];
const nothing = (kind) => ({ [kind]: [], diagnostics: [] });

/** What a project brings for pi, if the person has allowed the project. @param {string} cwd @param {string[]} names @returns {string[]} */
const ofProject = (cwd, ...names) => (bridge().ack.project_trusted === true ? names.map((each) => path.join(cwd, each)) : []);

function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function list(folder) {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** @param {{cwd: string, agentDir?: string}} options @returns {{path: string, content: string}[]} the outermost first */
export function loadProjectContextFiles({ cwd, agentDir = getAgentDir() }) {
  const folders = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.unshift(folder);
    if (path.dirname(folder) === folder) break;
  }
  const found = [];
  for (const folder of [agentDir, ...folders]) {
    const file = INSTRUCTIONS.map((name) => path.join(folder, name)).find((each) => fs.existsSync(each));
    const content = file && read(file);
    if (content && !found.some((each) => each.path === file)) found.push({ path: file, content });
  }
  return found;
}

/** Skills below a folder. @param {{dir: string, source?: string}} options @returns {{skills: any[], diagnostics: any[]}} */
export function loadSkillsFromDir({ dir, source = "user" }, depth = DEPTH) {
  const skills = [];
  const own = read(path.join(dir, "SKILL.md"));
  if (own !== undefined) skills.push(skillOf(path.join(dir, "SKILL.md"), own, source));
  else if (depth > 0) {
    for (const each of list(dir)) {
      const inside = path.join(dir, each.name);
      if (each.name.startsWith(".") || each.name === "node_modules") continue;
      if (fs.statSync(inside, { throwIfNoEntry: false })?.isDirectory()) skills.push(...loadSkillsFromDir({ dir: inside, source }, depth - 1).skills);
    }
  }
  return { skills: skills.filter((each) => each.description), diagnostics: [] };
}

function skillOf(filePath, text, source) {
  const { name, description = "", "disable-model-invocation": hidden } = parseFrontmatter(text).frontmatter;
  const baseDir = path.dirname(filePath);
  return { name: name ?? path.basename(baseDir), description, filePath, baseDir, source, disableModelInvocation: hidden === true };
}

/** @param {{cwd?: string, agentDir?: string, skillPaths?: string[], includeDefaults?: boolean}} options @returns {{skills: any[], diagnostics: any[]}} */
export function loadSkills({ cwd = process.cwd(), agentDir = getAgentDir(), skillPaths = [], includeDefaults = true } = {}) {
  const own = [path.join(agentDir, "skills"), path.join(os.homedir(), ".agents", "skills"), ...ofProject(cwd, ".pi/skills", ".agents/skills")];
  const found = new Map();
  for (const dir of [...(includeDefaults ? own : []), ...skillPaths]) {
    for (const each of loadSkillsFromDir({ dir: dir.endsWith("SKILL.md") ? path.dirname(dir) : dir }).skills) {
      if (!found.has(each.name)) found.set(each.name, each);
    }
  }
  return { skills: [...found.values()], diagnostics: [] };
}

const escaped = (text) => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

/** @param {any[]} skills @returns {string} how a system prompt tells of them */
export function formatSkillsForPrompt(skills) {
  const shown = skills.filter((each) => !each.disableModelInvocation);
  if (shown.length === 0) return "";
  const items = shown.map(({ name, description, filePath }) => (
    `  <skill>\n    <name>${escaped(name)}</name>\n    <description>${escaped(description)}</description>\n    <location>${escaped(filePath)}</location>\n  </skill>`));
  return `\n\nSkills have instructions for some tasks. Read the file of a skill when the task fits its description.\n\n<available_skills>\n${items.join("\n")}\n</available_skills>`;
}

function loadPrompts(folders) {
  const prompts = [];
  for (const folder of folders) {
    for (const { name } of list(folder).filter((each) => each.name.endsWith(".md"))) {
      const { frontmatter, body } = parseFrontmatter(read(path.join(folder, name)) ?? "");
      const filePath = path.join(folder, name);
      prompts.push({ name: name.slice(0, -3), description: frontmatter.description ?? "", content: body, filePath, source: "user" });
    }
  }
  return prompts;
}

/** What extensions of another runtime have in common. */
export const createExtensionRuntime = () => ({ flagValues: new Map(), pendingProviderRegistrations: [], pendingNativeProviderRegistrations: [] });

export class DefaultResourceLoader {
  #options;
  #extensions = { extensions: [], errors: [], runtime: createExtensionRuntime() };
  #skills = nothing("skills");
  #prompts = nothing("prompts");
  #files = [];
  #more = { skillPaths: [], promptPaths: [] };

  /** @param {any} [options] as pi has it */
  constructor(options = {}) {
    this.#options = { cwd: process.cwd(), agentDir: getAgentDir(), ...options };
    this.settingsManager = options.settingsManager ?? SettingsManager.create(this.#options.cwd);
  }

  async reload() {
    const options = this.#options;
    this.#extensions = await this.#load();
    if (options.extensionsOverride) this.#extensions = options.extensionsOverride(this.#extensions);
    this.#find();
    const files = { agentsFiles: options.noContextFiles ? [] : loadProjectContextFiles(options) };
    this.#files = (options.agentsFilesOverride?.(files) ?? files).agentsFiles;
  }

  #find() {
    const { cwd, agentDir, noSkills, noPromptTemplates, additionalSkillPaths = [], additionalPromptTemplatePaths = [], skillsOverride, promptsOverride } = this.#options;
    const skills = loadSkills({ cwd, agentDir, includeDefaults: !noSkills, skillPaths: [...additionalSkillPaths, ...this.#more.skillPaths] });
    this.#skills = skillsOverride?.(skills) ?? skills;
    const own = noPromptTemplates ? [] : [...ofProject(cwd, ".pi/prompts"), path.join(agentDir, "prompts")];
    const prompts = { prompts: loadPrompts([...own, ...additionalPromptTemplatePaths, ...this.#more.promptPaths]), diagnostics: [] };
    this.#prompts = promptsOverride?.(prompts) ?? prompts;
  }

  /** The extensions of the conversation, those that are named, and functions; each a new one. */
  async #load() {
    const { noExtensions, additionalExtensionPaths = [], extensionFactories = [], builtinPackagePaths } = this.#options;
    // Atomic leaves packages of its own out where it names the others: an agent of a workflow has no workflows.
    const left = (entry) => !builtinPackagePaths || !builtinOf(entry) || builtinPackagePaths.includes(builtinOf(entry));
    const files = [...(noExtensions ? [] : bridge().entries.filter(left)), ...additionalExtensionPaths.flatMap((each) => entriesOf(each))];
    const apiFor = (extension) => (extension.api = createApi(null, extension));
    const loaded = files.length ? await Promise.all(load([...new Set(files)], apiFor)) : [];
    for (const [index, each] of extensionFactories.entries()) {
      const { name = String(index + 1), factory } = typeof each === "function" ? { factory: each } : each;
      const inline = { ...createRegistrations(name, `<inline:${name}>`), error: "" };
      try {
        await factory(apiFor(inline));
      } catch (error) {
        console.error(`${name}:`, error);
        inline.error = String(error?.message ?? error);
      }
      loaded.push(inline);
    }
    const found = { extensions: [], errors: [], runtime: createExtensionRuntime() };
    for (const each of loaded) {
      if (each.error) found.errors.push({ path: each.entry, error: each.error });
      else found.extensions.push(Object.assign(each, { path: each.entry, resolvedPath: each.entry, sourceInfo: sourceOf(each) }));
      for (const [name, config] of each.providers) found.runtime.pendingProviderRegistrations.push({ name, config, extensionPath: each.entry });
    }
    return found;
  }

  extendResources({ skillPaths = [], promptPaths = [] }) {
    this.#more.skillPaths.push(...skillPaths.map((each) => each.path));
    this.#more.promptPaths.push(...promptPaths.map((each) => each.path));
    this.#find();
  }

  #text(given) {
    return given === undefined ? undefined : (fs.existsSync(given) ? read(given) : given);
  }

  getExtensions() { return this.#extensions; }
  getSkills() { return this.#skills; }
  getPrompts() { return this.#prompts; }
  getThemes() { return nothing("themes"); }
  getAgentsFiles() { return { agentsFiles: this.#files }; }
  getSystemPromptSource() { return undefined; }
  getAppendSystemPromptSources() { return []; }

  getSystemPrompt() {
    const { systemPrompt, cwd, agentDir, systemPromptOverride } = this.#options;
    const files = [...ofProject(cwd, ".pi/SYSTEM.md"), path.join(agentDir, "SYSTEM.md")];
    const base = this.#text(systemPrompt) ?? files.map(read).find((each) => each !== undefined);
    return systemPromptOverride ? systemPromptOverride(base) : base;
  }

  getAppendSystemPrompt() {
    const base = [this.#options.appendSystemPrompt ?? []].flat().map((each) => this.#text(each));
    return this.#options.appendSystemPromptOverride?.(base) ?? base;
  }
}
