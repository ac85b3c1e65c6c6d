// Asks before another session begins while the project has changes that are not committed.

import { spawnSync } from "node:child_process";

type Frame = {
  type: string;
  id?: string;
  name?: string;
  event?: string;
  cwd?: string;
  capabilities?: string[];
  code?: string;
  result?: { value?: boolean };
};

let cwd = process.cwd();
let granted: string[] = [];
let calls = 0;
const waiting = new Map<string, (answer: Frame) => void>();

const send = (frame: object, sent?: () => void): boolean => process.stdout.write(JSON.stringify(frame) + "\n", sent);

function changes(): number {
  const git = spawnSync("git", ["status", "--porcelain"], { cwd, encoding: "utf8", timeout: 4000 });
  return git.status === 0 ? git.stdout.split("\n").filter(Boolean).length : 0;
}

function confirm(title: string, parent: string): Promise<boolean> {
  if (!granted.includes("ui")) return Promise.resolve(true);
  const id = `call-${++calls}`;
  send({ type: "host_call", id, method: "ui.confirm", params: { title }, parent_id: parent });
  // Nobody can be asked: nothing is stopped.
  return new Promise((resolve) => waiting.set(id, (answer) => resolve(answer.code ? true : answer.result?.value === true)));
}

async function guard(id: string): Promise<void> {
  const count = changes();
  const allowed = count === 0 || (await confirm(`${count} files are not committed. Leave this session?`, id));
  const answer = allowed ? {} : { block: true, reason: "commit your work first" };
  send({ type: "event_intercept_response", id, ...answer });
}

function receive(frame: Frame): void {
  switch (frame.type) {
    case "hello_ack":
      cwd = frame.cwd ?? cwd;
      granted = frame.capabilities ?? [];
      break;
    case "command_invoked":
      send({ type: "command_response", id: frame.id, action: "display", display: `${changes()} files are not committed` });
      break;
    case "event_intercept":
      void guard(frame.id ?? "");
      break;
    case "host_result":
      waiting.get(frame.id ?? "")?.(frame);
      waiting.delete(frame.id ?? "");
      break;
    case "shutdown":
      send({ type: "shutdown_ack" }, () => process.exit(0));
  }
}

send({ type: "hello", name: "dirty-repo-guard", version: "1.0.0", capabilities: ["commands", "events", "ui", "intercepts2"] });
send({ type: "register_command", name: "dirty", description: "how many files are not committed" });
send({ type: "subscribe", intercept: ["session_before_switch"] });
send({ type: "ready" });

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line.trim()) receive(JSON.parse(line) as Frame);
});
process.stdin.on("end", () => process.exit(0));
