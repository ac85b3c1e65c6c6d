// pi's own tools, for extensions that wrap them. Without other operations zot's tool of that name does the work, with
// zot's rules; its parameters are the same.

import { contentOf, detailsOf, textOf } from "../events/messages.mjs";
import { createBash, createLocalBashOperations } from "./bash.mjs";
import { createEdit, createRead, createWrite } from "./files.mjs";
import { Type } from "./typebox.mjs";

export { createLocalBashOperations };

const text = (description) => Type.String({ description });
const number = (description) => Type.Optional(Type.Number({ description }));
const maybe = (description) => Type.Optional(Type.String({ description }));
const flag = (description) => Type.Optional(Type.Boolean({ description }));

const TOOLS = {
  read: {
    description: "Read the contents of a file, text or image. Use offset and limit for large files.",
    parameters: Type.Object({
      path: text("Path to the file to read (relative or absolute)"),
      offset: number("Line number to start reading from (1-indexed)"), limit: number("Maximum number of lines to read"),
    }),
    other: createRead,
  },
  write: {
    description: "Write content to a file. Creates the file if it does not exist, overwrites it if it does, and makes missing folders.",
    parameters: Type.Object({ path: text("Path to the file to write (relative or absolute)"), content: text("Content to write to the file") }),
    other: createWrite,
  },
  edit: {
    description: "Edit a file by exact replacements. Every oldText must occur once in the file; replacements must not overlap.",
    parameters: Type.Object({
      path: text("Path to the file to edit (relative or absolute)"),
      edits: Type.Array(Type.Object({ oldText: text("Exact text, unique in the file"), newText: text("What replaces it") })),
    }),
    other: createEdit,
  },
  bash: {
    description: "Execute a bash command in the current working directory. Returns stdout and stderr; long output is cut to its end.",
    parameters: Type.Object({ command: text("Bash command to execute"), timeout: number("Timeout in seconds") }),
    other: createBash,
  },
  grep: {
    description: "Search file contents for a pattern. Returns matching lines with paths and line numbers. Respects .gitignore.",
    parameters: Type.Object({
      pattern: text("Search pattern (regex or literal string)"), path: maybe("Directory or file to search"),
      glob: maybe("Filter files by glob pattern"), ignoreCase: flag("Case-insensitive search"),
      literal: flag("Treat pattern as literal string"), context: number("Lines around each match"), limit: number("Maximum number of matches"),
    }),
  },
  find: {
    description: "Search for files by glob pattern. Respects .gitignore.",
    parameters: Type.Object({ pattern: text("Glob pattern to match files"), path: maybe("Directory to search in"), limit: number("Maximum number of results") }),
  },
  ls: {
    description: "List directory contents, sorted, with '/' after directories.",
    parameters: Type.Object({ path: maybe("Directory to list"), limit: number("Maximum number of entries to return") }),
  },
};

/** The output of a command as pi tells it. @param {string} text @param {any} details of zot's `bash`, or of another tool */
function printed(text, details) {
  if (details?.exit_code === undefined) return text;
  const { exit_code: code, full_output_path: path } = details;
  const output = text.replace(/\n*\[exit -?\d+\][^\n]*$/, "");
  const more = [path ? `[Full output: ${path}]` : "", code === 0 ? "" : `Command exited with code ${code}`];
  return [output, ...more].filter(Boolean).join("\n\n") || "(no output)";
}

/** Has zot's own tool do it. */
async function callZot(name, args, signal) {
  const { running, wire } = globalThis[Symbol.for("zot.pi.bridge")];
  const answer = await running.asking((told) => wire.callTool({ name, args, builtin: true }, signal, told));
  const content = contentOf(answer.content).map((each) => (each.type === "text" ? { ...each, text: printed(each.text, answer.details) } : each));
  if (answer.is_error) throw new Error(textOf(content) || `${name} has failed`);
  return { content, details: detailsOf(answer.details, answer.content) ?? answer.structured_content };
}

/** @param {string} name @returns {(cwd: string, options?: any) => any} */
function factory(name) {
  const { description, parameters, other } = TOOLS[name];
  return (cwd, options = {}) => {
    const own = other !== undefined && (options.operations || options.spawnHook || options.commandPrefix);
    const run = own ? other(cwd, options) : (_, args, signal) => callZot(name, absolute(name, args, cwd), signal);
    return { name, label: name, description, parameters, execute: run };
  };
}

/** Paths begin at the folder that the extension has chosen. */
function absolute(name, args, cwd) {
  const host = globalThis[Symbol.for("zot.pi.bridge")].cwd;
  if (!cwd || cwd === host || name === "bash" || !args.path || args.path.startsWith("/") || args.path.startsWith("~")) return args;
  return { ...args, path: `${cwd}/${args.path}` };
}

export const createReadTool = factory("read");
export const createWriteTool = factory("write");
export const createEditTool = factory("edit");
export const createBashTool = factory("bash");
export const createGrepTool = factory("grep");
export const createFindTool = factory("find");
export const createLsTool = factory("ls");
export const createReadToolDefinition = createReadTool;
export const createWriteToolDefinition = createWriteTool;
export const createEditToolDefinition = createEditTool;
export const createBashToolDefinition = createBashTool;
export const createGrepToolDefinition = createGrepTool;
export const createFindToolDefinition = createFindTool;
export const createLsToolDefinition = createLsTool;
export const createCodingTools = (cwd) => [createReadTool(cwd), createBashTool(cwd), createEditTool(cwd), createWriteTool(cwd)];
export const createReadOnlyTools = (cwd) => [createReadTool(cwd), createGrepTool(cwd), createFindTool(cwd), createLsTool(cwd)];

const queues = new Map();

/** Runs changes of one file one after the other. @template T @param {string} file @param {() => Promise<T>} change @returns {Promise<T>} */
export async function withFileMutationQueue(file, change) {
  const before = queues.get(file) ?? Promise.resolve();
  const mine = before.catch(() => {}).then(change);
  queues.set(file, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(file) === mine) queues.delete(file);
  }
}
