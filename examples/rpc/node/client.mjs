// Asks `zot rpc` a question and prints the answer as it is written. Node alone is all it needs.
//
//   node examples/rpc/node/client.mjs "what does this project do?" --provider anthropic
//
// Ctrl+C stops the agent. The exit code is 0 for an answer, 1 for a failure and 130 for an answer that was stopped.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Transform } from "node:stream";

const [question, ...flags] = process.argv.slice(2);
if (question === undefined) {
  console.error('usage: client.mjs "question" [flags of zot rpc]');
  process.exit(2);
}

// What text of a model must not do to a terminal.
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

// Detached is a process group of its own: a Ctrl+C is ours alone, and we say what it means.
const zot = spawn("zot", ["rpc", ...flags], { stdio: ["pipe", "pipe", "inherit"], detached: true });
const send = (command) => zot.stdin.write(JSON.stringify(command) + "\n");

let code = 0;
let aborted = false;
let over = false;

function finish(exitCode, complaint) {
  if (over) return;
  over = true;
  if (complaint) console.error(complaint);
  process.exitCode = exitCode;
  zot.stdin.end(); // the end of its input is the end of it
}

// readline ends a line at U+2028 and U+2029 too, which may stand in a JSON string as they are; escaped, they do not
// disturb it. Their bytes are E2 80 A8 and E2 80 A9, but a chunk may end within them: so this works on text.
const escape = new Transform({
  decodeStrings: false,
  transform(text, _, pass) {
    pass(null, text.replace(/[\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`));
  },
});
const lines = createInterface({ input: zot.stdout.setEncoding("utf8").pipe(escape) });

lines.on("line", (line) => {
  const event = JSON.parse(line);
  if (over) return;
  switch (event.type) {
    case "text_delta":
      process.stdout.write(event.delta.replace(CONTROLS, ""));
      break;
    case "tool_call":
      console.error(`\n[${event.name}]`);
      break;
    case "response":
      if (!event.success) finish(1, `refused: ${event.error}`);
      break;
    case "error":
      console.error(`\nerror: ${event.message}`);
      code = 1;
      break;
    case "done":
      process.stdout.write("\n");
      finish(aborted ? 130 : code);
      break;
  }
});

zot.on("error", (error) => finish(1, `error: cannot start zot: ${error.message}`));
zot.stdin.on("error", () => {}); // it has ended, which "close" tells
zot.on("close", () => finish(1, "error: zot rpc has ended"));
process.on("SIGINT", () => {
  aborted = true;
  send({ type: "abort" });
});

send({ id: "1", type: "prompt", message: question });
