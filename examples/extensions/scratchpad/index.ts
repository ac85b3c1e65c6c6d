// Commands and a tool in TypeScript, run from source. The notes are kept in notes.json.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Frame = { type: string; id?: string; name?: string; args?: unknown; data_dir?: string; extension_dir?: string };
type Answer = { action?: string; display?: string; error?: string };

let folder = process.cwd();

const send = (frame: object, sent?: () => void): boolean => process.stdout.write(JSON.stringify(frame) + "\n", sent);

function notes(): string[] {
  try {
    return JSON.parse(readFileSync(join(folder, "notes.json"), "utf8"));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

function keep(all: string[]): void {
  const path = join(folder, "notes.json");
  writeFileSync(path + ".new", JSON.stringify(all, null, 1));
  renameSync(path + ".new", path);
}

function note(text: string): Answer {
  if (!text) return { error: "what is the note? /note buy milk" };
  keep([...notes(), text]);
  return { action: "display", display: `noted: ${text}` };
}

function forget(): Answer {
  const count = notes().length;
  keep([]);
  return { action: "display", display: `${count} notes are forgotten` };
}

const commands: Record<string, (args: string) => Answer> = { note, forget };

function command(frame: Frame): void {
  let answer: Answer;
  try {
    answer = commands[frame.name ?? ""]?.(String(frame.args ?? "")) ?? { error: `no command ${frame.name} here` };
  } catch (error) {
    answer = { error: String(error) };
  }
  send({ type: "command_response", id: frame.id, ...answer });
}

function tool(frame: Frame): void {
  const result = { type: "tool_result", id: frame.id };
  try {
    const { containing } = (frame.args ?? {}) as { containing?: unknown };
    const found = notes().filter((each) => each.includes(String(containing ?? "")));
    send({ ...result, content: [{ type: "text", text: found.join("\n") || "no notes" }] });
  } catch (error) {
    send({ ...result, content: [{ type: "text", text: String(error) }], is_error: true });
  }
}

function take(frame: Frame): void {
  if (frame.type === "hello_ack") folder = frame.data_dir || frame.extension_dir || folder;
  else if (frame.type === "command_invoked") command(frame);
  else if (frame.type === "tool_call") tool(frame);
  else if (frame.type === "shutdown") send({ type: "shutdown_ack" }, () => process.exit(0));
}

send({ type: "hello", name: "scratchpad", version: "1.0.0", capabilities: ["commands", "tools"] });
send({ type: "register_command", name: "note", description: "take a note: /note buy milk" });
send({ type: "register_command", name: "forget", description: "forget all notes" });
send({
  type: "register_tool",
  name: "read_notes",
  description: "Read the notes of the person.",
  schema: {
    type: "object",
    properties: { containing: { type: "string", description: "only notes that contain this" } },
  },
});
send({ type: "ready" });

// Not node:readline, which also cuts lines at U+2028 and U+2029; a frame may hold both.
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (line.trim()) take(JSON.parse(line) as Frame);
  }
});
