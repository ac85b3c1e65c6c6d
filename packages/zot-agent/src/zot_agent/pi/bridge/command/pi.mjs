// The program `pi`, as extensions start it again: `node pi.mjs --mode json -p "Task: ..."` runs zot and prints the
// events of pi. In the bridge `process.argv[1]` names this file, as it names pi's own program in pi.

import { spawn } from "node:child_process";
import readline from "node:readline";
import { toZot } from "./arguments.mjs";
import { Translation } from "./events.mjs";

function fail(text) {
  process.stderr.write(`pi: ${text}\n`);
  process.exit(1);
}

/** @param {string[]} given the arguments of pi */
async function run(given) {
  if (given.includes("--version")) {
    const { VERSION } = await import("../shims/coding-agent.mjs");
    return void console.log(VERSION);
  }
  let wanted;
  try {
    wanted = toZot(given);
  } catch (error) {
    return fail(error.message);
  }
  const stdio = ["inherit", wanted.json ? "pipe" : "inherit", "inherit"];
  const child = spawn(process.env.ZOT_PYTHON ?? "python3", ["-m", "zot_agent", ...wanted.args], { stdio });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`zot cannot be started: ${error.message}`));
  child.on("close", (code) => { process.exitCode = code ?? 1; });
  if (!wanted.json) return undefined;
  const translation = new Translation(wanted.model);
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    for (const event of translation.take(JSON.parse(line))) process.stdout.write(`${JSON.stringify(event)}\n`);
  });
  return undefined;
}

run(process.argv.slice(2));
