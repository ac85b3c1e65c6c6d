// Where errors of extensions are: the stack of an error names the lines that their authors wrote.

import { SourceMap } from "node:module";

/** What esbuild says about the lines of a compiled file. @type {Map<string, string | SourceMap>} */
const known = new Map();

/** @param {string} file @param {string} mappings of its compiled code to the file, as in a source map */
export function placeLines(file, mappings) {
  known.set(file, mappings);
  Error.prepareStackTrace = written;
}

/** @param {unknown} error @param {NodeJS.CallSite[]} sites */
function written(error, sites) {
  let head = "Error";
  try {
    head = Error.prototype.toString.call(error);
  } catch { /* its name or message cannot be read */ }
  return [head, ...sites.map((site) => `    at ${placed(site)}`)].join("\n");
}

function placed(site) {
  const file = site.getFileName();
  let map = known.get(file);
  if (map === undefined) return String(site);
  if (typeof map === "string") known.set(file, map = new SourceMap({ version: 3, sources: [file], names: [], mappings: map }));
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const { originalLine, originalColumn } = map.findEntry(line - 1, column - 1);
  return originalLine === undefined ? String(site) : String(site).replace(`:${line}:${column}`, `:${originalLine + 1}:${originalColumn + 1}`);
}
