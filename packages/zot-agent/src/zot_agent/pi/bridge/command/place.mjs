// What an extension finds around it, as beside pi: the program `pi`, which is zot, and the folder of pi's own files.

import { mkdirSync, readFileSync } from "node:fs";
import Module from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { keep } from "../load/kept.mjs";
import { modulesFolder } from "../load/modules.mjs";
import { getAgentDir } from "../shims/coding-agent.mjs";

const PROGRAM = fileURLToPath(new URL("pi.mjs", import.meta.url));
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Makes what the bridge needs of npm available to programs that extensions start, as pi's own modules are beside pi: some
 * start themselves again with jiti. What an extension brings itself comes first. */
function lendModules() {
  process.env.NODE_PATH = [process.env.NODE_PATH, path.join(modulesFolder(), "node_modules")].filter(Boolean).join(path.delimiter);
  Module._initPaths(); // as Node does when it starts
}

/** Makes `process.argv[1]` and `pi` on the PATH the program that starts zot, and the folder if there is none: it stays
 * empty until an extension writes there. @param {string | undefined} cache zot's folder of compiled code */
export function takePlace(cache) {
  process.argv[1] = PROGRAM; // extensions start that again
  lendModules();
  try {
    mkdirSync(getAgentDir(), { recursive: true });
  } catch { /* what is confined has no home */ }
  if (!cache) return;
  const [folder, file] = [path.join(cache, "bin"), path.join(cache, "bin", "pi")];
  const text = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(PROGRAM)} "$@"\n`;
  try {
    if (read(file) !== text) keep(file, text, 0o755);
    process.env.PATH = [folder, process.env.PATH].filter(Boolean).join(path.delimiter);
  } catch { /* as above */ }
}
