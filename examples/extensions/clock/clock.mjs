#!/usr/bin/env node
// Slash commands in plain Node. Standard output is the protocol; console.error goes to the extension's log.

const send = (frame, sent) => process.stdout.write(JSON.stringify(frame) + "\n", sent);

function clock(zone) {
  const now = new Date();
  try {
    const time = now.toLocaleTimeString("en-GB", zone ? { timeZone: zone } : {});
    return { action: "display", display: zone ? `${time} in ${zone}` : time };
  } catch {
    return { error: `there is no time zone ${zone}; try Europe/Berlin` };
  }
}

const commands = {
  clock: { description: "the time: /clock or /clock Europe/Berlin", run: clock },
  date: {
    description: "put today's date into the editor",
    run: () => ({ action: "insert", insert: new Date().toISOString().slice(0, 10) }),
  },
};

function take(frame) {
  if (frame.type === "command_invoked") {
    const command = commands[frame.name];
    const answer = command ? command.run(frame.args ?? "") : { error: `no command ${frame.name} here` };
    send({ type: "command_response", id: frame.id, ...answer });
  } else if (frame.type === "shutdown") {
    send({ type: "shutdown_ack" }, () => process.exit(0));
  }
}

send({ type: "hello", name: "clock", version: "1.0.0", capabilities: ["commands"] });
for (const [name, { description }] of Object.entries(commands)) {
  send({ type: "register_command", name, description });
}
send({ type: "ready" });

// Not node:readline, which also cuts lines at U+2028 and U+2029; a frame may hold both.
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    if (line.trim()) take(JSON.parse(line));
  }
});
