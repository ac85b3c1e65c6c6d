// Brings the skill that suits the project. Its prompts and its theme are in the manifest.

import { existsSync } from "node:fs";
import { join } from "node:path";

type Frame = { type: string; id?: string; cwd?: string; capabilities?: string[]; code?: string; error?: string };

let skill = "";

const send = (frame: object, sent?: () => void): boolean => process.stdout.write(JSON.stringify(frame) + "\n", sent);

function greeted(frame: Frame): void {
  const cwd = frame.cwd ?? ".";
  skill = existsSync(join(cwd, "package.json")) ? "skills/for-node" : "";
  if (!skill && existsSync(join(cwd, "pyproject.toml"))) skill = "skills/for-python";
  if (skill && frame.capabilities?.includes("resources")) {
    send({ type: "host_call", id: "skills", method: "resources.set", params: { skills: [skill] } });
  } else {
    send({ type: "ready" });
  }
}

function take(frame: Frame): void {
  if (frame.type === "hello_ack") greeted(frame);
  else if (frame.type === "host_result") {
    if (frame.code) console.error(`the skill is not used: ${frame.error}`);
    send({ type: "ready" }); // from now on the model sees the skill
  } else if (frame.type === "command_invoked") {
    send({ type: "command_response", id: frame.id, action: "display", display: skill || "no skill for this project" });
  } else if (frame.type === "shutdown") send({ type: "shutdown_ack" }, () => process.exit(0));
}

send({ type: "hello", name: "team-kit", version: "1.0.0", capabilities: ["commands", "resources"] });
send({ type: "register_command", name: "kit", description: "say which skill the team brings here" });

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (line.trim()) take(JSON.parse(line) as Frame);
  }
});
