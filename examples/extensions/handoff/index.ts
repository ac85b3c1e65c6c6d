// A new session that begins with a summary of this one. TypeScript without an SDK: calls to zot are `host_call` frames.

type Frame = {
  type: string;
  id?: string;
  name?: string;
  args?: string;
  capabilities?: string[];
  result?: Record<string, unknown>;
  code?: string;
  error?: string;
};
type Block = { type: string; text?: string };
type Entry = { id: string; kind: string; text?: string; content?: Block[] };
type Answer = { action?: string; prompt?: string; error?: string };

const GROUPS = ["session", "model"];
const SYSTEM =
  "You write a note with which another session continues this work. State what was decided, which files matter and " +
  "what is left to do, as far as it serves the goal. At most twenty lines.";

let granted: string[] = [];
let calls = 0;
const waiting = new Map<string, (frame: Frame) => void>();

const send = (frame: object, sent?: () => void): boolean => process.stdout.write(JSON.stringify(frame) + "\n", sent);

/** Ask zot for something in the command `parent`; the result of `host_call`. */
function call(parent: string, method: string, params: object = {}): Promise<Record<string, unknown>> {
  const id = `call-${++calls}`;
  return new Promise((resolve, reject) => {
    waiting.set(id, (frame) => {
      if (frame.code) reject(new Error(frame.error));
      else resolve(frame.result ?? {});
    });
    send({ type: "host_call", id, method, params, parent_id: parent });
  });
}

/** What was said, oldest first. */
async function conversation(parent: string): Promise<string> {
  const lines: string[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await call(parent, "session.entries", { kinds: ["user", "assistant"], content: true, after });
    const entries = page.entries as Entry[];
    for (const each of entries) {
      const text = (each.content ?? []).map((block) => block.text ?? "").join("");
      lines.push(`${each.kind}: ${text || each.text || ""}`);
    }
    after = entries.at(-1)?.id;
    more = page.more === true && entries.length > 0;
  }
  return lines.join("\n");
}

async function fresh(parent: string, goal: string): Promise<Answer> {
  if (!granted.includes("session")) return { error: "this zot is too old for it" };
  if (!goal) return { error: "what comes next? /fresh GOAL" };
  const said = await conversation(parent);
  if (!said) return { error: "there is nothing to hand over yet" };
  const prompt = `The goal: ${goal}\n\nThe conversation:\n${said}`;
  const { text } = await call(parent, "model.complete", { prompt, system: SYSTEM });
  const message = { text: `Notes from an earlier session:\n\n${text}`, display_text: "(notes from an earlier session)" };
  await call(parent, "session.new", { parent: true, messages: [message] });
  return { action: "prompt", prompt: goal };
}

const running = new Set<Promise<void>>();

/** Answer what is open, and end. */
async function end(): Promise<void> {
  for (const settle of waiting.values()) settle({ type: "host_result", code: "cancelled", error: "zot has ended" });
  await Promise.all(running);
  send({ type: "shutdown_ack" }, () => process.exit(0));
}

async function command(frame: Frame): Promise<void> {
  let answer: Answer;
  try {
    answer = await fresh(frame.id ?? "", (frame.args ?? "").trim());
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  send({ type: "command_response", id: frame.id, ...answer });
}

function take(frame: Frame): void {
  if (frame.type === "hello_ack") granted = frame.capabilities ?? [];
  else if (frame.type === "command_invoked") {
    const work = command(frame);
    running.add(work);
    void work.then(() => running.delete(work));
  } else if (frame.type === "host_result") {
    waiting.get(frame.id ?? "")?.(frame);
    waiting.delete(frame.id ?? "");
  } else if (frame.type === "shutdown") void end();
}

send({ type: "hello", name: "handoff", version: "1.0.0", capabilities: ["commands", ...GROUPS] });
send({ type: "register_command", name: "fresh", description: "continue in a new session with a summary: /fresh GOAL" });
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
