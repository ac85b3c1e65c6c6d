// The code of extensions: all files of one are compiled side by side with esbuild before jiti asks for them. Its own
// compiler, which takes some twenty times as long, is left what esbuild cannot do: an `await` outside of functions.

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { digest, keep, keptFile, readKept } from "./kept.mjs";
import { babel, esbuildLibrary } from "./modules.mjs";
import { placeLines } from "./places.mjs";

/** What another version of this file has kept is compiled again. */
const FORMAT = digest(readFileSync(fileURLToPath(import.meta.url), "utf8"));
const LARGEST = 1 << 26;
const LATER_MILLISECONDS = 1000;

const OPTIONS = {
  format: "cjs", platform: "node", target: "node20", logLevel: "silent", sourcemap: "external", supported: { "dynamic-import": false },
  define: { "import.meta": "zotMeta" }, tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
};
const LOADERS = { ".ts": "ts", ".mts": "ts", ".cts": "ts", ".tsx": "tsx", ".jsx": "jsx" };

/** Begins the code of a module. It is a block, where a name that jiti gives may be declared again. */
const HEAD = "'use strict'; const zotMeta = { get url() { return require('node:url').pathToFileURL(__filename).href; }, filename: __filename, "
  + "dirname: __dirname, resolve: jitiESMResolve }; { ";
/** jiti's own interop decides what `default` is. */
const INTEROP = "if (typeof __toESM === 'function') { const whole = __toESM; __toESM = (found) => (found?.__esModule ? found : whole(found)); }"
  + " const zotImport = (name) => jitiImport(`${name}`).then((found) => __toESM(found));";
const EXPORTS = /^module\.exports = __toCommonJS\((\w+)\);$/m;
const PATHS = /(\bawait jitiImport\(|\bzotImport\(\()"(\.[^"\n]*)"/g;
const LATER = /\b(?:const|let|var) (\w+|\{[^{}]*\}) = await Promise\.resolve\(\)\.then\(\(\) => __toESM\(require\("([^"./][^"]*)"/g;
const IMPORT = /^(?:var \w+ = (?:__toESM\()?require\(|__reExport\(\w+, require\()"/;

/** What is before and after the exports of a module, and their name. A text in it may have the same line later. */
function partsOf(code) {
  const found = EXPORTS.exec(code);
  if (found === null) throw new Error("it is no module");
  return { before: code.slice(0, found.index), name: found[1], after: code.slice(found.index + found[0].length) };
}

/** What esbuild has made of a module, for the function that jiti makes of it, which may wait for what it imports.
 * @param {string} code @param {boolean} isAsync @returns {string} */
function forJiti(code, isAsync) {
  const { before, name, after } = partsOf(code);
  const lines = after.split("\n"); // as many as before: the source map counts them
  // esbuild puts all imports before the rest; in a text further on, a line may look like one.
  for (let at = 1; isAsync && IMPORT.test(lines[at]); at += 1) lines[at] = lines[at].replace("require(", "await jitiImport(");
  const body = lines.join("\n").replaceAll("Promise.resolve().then(() => __toESM(require(", "Promise.resolve().then(() => zotImport((");
  return `${HEAD}${before.replace(/^#!.*/, "")}__copyProps(__defProp(exports, "__esModule", { value: true }), ${name}); ${INTEROP}${body}\n}`;
}

/** What a module uses of each package that it imports, as `PACKAGE NAME`, and what it calls of the objects that it gets, as
 * `pi.NAME`, `ctx.NAME` and `ctx.ui.NAME`. What it looks for before it uses it is not missed.
 * @param {string} text as it was written @param {string} code as esbuild makes it: without types and comments */
function usesOf(text, code) {
  const body = partsOf(code).after; // what it only exports again may be a type
  const found = new Set();
  const add = (variable, of, end) => {
    const looked = new RegExp(`(?:typeof |in |!)${variable}\\.(\\w+)|\\b${variable}\\.(\\w+)\\)?(?:\\?\\.| \\?| &&| ===?| !==?)`, "g");
    const guarded = new Set([...body.matchAll(looked)].flatMap((match) => match.slice(1)));
    for (const [, name] of body.matchAll(new RegExp(`\\b${variable}\\.([A-Za-z_$][\\w$]*)${end}`, "g"))) {
      if (!guarded.has(name)) found.add(`${of}${name}`);
    }
  };
  for (const [, variable, from] of body.matchAll(/^var (\w+) = (?:__toESM\()?require\("([^"./][^"]*)"/gm)) add(variable, `${from} `, "");
  for (const [, name, from] of body.matchAll(LATER)) {
    if (!name.startsWith("{")) add(name, `${from} `, "");
    else for (const each of name.matchAll(/(\w+)(?:: \w+)?(?: = [^,]*)?[,\s}]/g)) found.add(`${from} ${each[1]}`);
  }
  const typed = text.matchAll(/\b(\w+)\??: *Extension(API|Context|CommandContext)\b(?!\[)/g);
  for (const [variable, type] of new Map([...typed].map((match) => match.slice(1)))) {
    if (new RegExp(`\\b(?:const|let|var) ${variable}\\d* =`).test(body)) continue; // it is something else too
    add(`${variable}\\d*`, type === "API" ? "pi." : "ctx.", "\\(");
    if (type !== "API") add(`${variable}\\d*\\.ui`, "ctx.ui.", "\\(");
  }
  return [...found];
}

/** The code of one extension. */
export class Compiled {
  #file;
  #sources;
  /** The code, and what it uses, of each file as it was compiled. @type {Map<string, {code: string, uses: string[], mappings: string}>} */
  #kept;
  #asked = new Set();
  #changed = false;
  /** Whether a file had to be compiled. */
  isNew = false;

  /** @param {string} entry @param {Map<string, import("./modules.mjs").Source>} sources the files that it may load */
  constructor(entry, sources) {
    this.#file = keptFile("compiled", entry);
    this.#sources = sources;
    const found = readKept(this.#file, LARGEST);
    this.#kept = new Map(found?.format === FORMAT ? Object.entries(found.files) : []);
  }

  /** Compiles what is not there yet, side by side. */
  async begin() {
    await Promise.all([...this.#sources].filter(([file]) => PROGRAM.test(file)).map(async ([file, { text }]) => {
      const key = keyOf(file, text, true);
      this.#asked.add(key);
      if (this.#kept.has(key)) return;
      try {
        this.#add(key, made(text, await esbuildLibrary().transform(...given(file, text)), true));
      } catch { /* jiti asks for it, if it is loaded */ }
    }));
  }

  /** What its files use of packages and of pi: see `usesOf`. */
  get uses() {
    return new Set([...this.#asked].flatMap((key) => this.#kept.get(key)?.uses ?? []));
  }

  /** Answers jiti, which wants the code of a file. @param {any} options @returns {{code: string}} */
  transform(options) {
    const { filename: file, source, async: isAsync } = options;
    const key = keyOf(file, source, isAsync);
    this.#asked.add(key);
    if (!this.#kept.has(key)) {
      try {
        this.#add(key, made(source, esbuildLibrary().transformSync(...given(file, source)), isAsync));
      } catch {
        this.#add(key, { code: babel(options).code, uses: [], mappings: "" }); // which keeps the lines
      }
      setTimeout(() => this.end(), LATER_MILLISECONDS).unref();
    }
    const found = this.#kept.get(key);
    if (found.mappings) placeLines(file, found.mappings);
    // jiti tries many names for a path; the file of most is known.
    const target = (name) => this.#sources.get(file)?.targets.get(name);
    return { code: found.code.replace(PATHS, (whole, call, name) => (target(name) ? `${call}${JSON.stringify(target(name))}` : whole)) };
  }

  #add(key, value) {
    this.#kept.set(key, value);
    this.#changed = this.isNew = true;
  }

  /** Keeps all code that was asked for. */
  end() {
    if (!this.#changed || !this.#file) return;
    this.#changed = false;
    const files = Object.fromEntries([...this.#kept].filter(([key]) => this.#asked.has(key)));
    try {
      keep(this.#file, JSON.stringify({ format: FORMAT, files }));
    } catch { /* what is confined may write nothing */ }
  }
}

const PROGRAM = /\.[cm]?[jt]sx?$/;
const given = (file, text) => [`${text}\nexport {};`, { ...OPTIONS, sourcefile: file, loader: LOADERS[path.extname(file)] ?? "js" }];
const made = (text, { code, map }, isAsync) => ({ code: forJiti(code, isAsync), uses: usesOf(text, code), mappings: JSON.parse(map).mappings });
const keyOf = (file, text, isAsync) => `${isAsync ? "async" : "sync"} ${file} ${digest(text)}`;
