// Writes down what it is told, in the order in which it is told.

import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import os from "node:os";

const EVENTS = ["session_start", "input", "before_agent_start", "agent_start", "turn_start", "message_start", "message_end", "turn_end", "agent_end",
  "agent_settled", "session_shutdown"];
const shown = (message: any) => [message.role, message.model, message.usage?.output].filter((each) => each !== undefined).join(" ");

export default function (pi: any) {
  const say = (...words: any[]) => appendFileSync(process.env.TOLD!, `${words.filter(Boolean).join(" ")}\n`);
  for (const type of EVENTS) {
    pi.on(type, (event: any, ctx: any) => {
      const about = [event.source, event.message && shown(event.message), event.messages?.map(shown).join(", ")];
      say(type, ctx.isIdle() ? "idle" : "busy", ...about);
    });
  }
  pi.registerCommand("say", {
    handler: async (text: string, ctx: any) => {
      say("say", ctx.isIdle() ? "idle" : "busy");
      pi.sendUserMessage(text);
      await ctx.waitForIdle();
    },
  });
  pi.registerCommand("look", {
    handler: async () => {
      const { stdout } = spawnSync("pi", ["--version"], { encoding: "utf8" });
      say("pi", stdout.trim(), existsSync(`${os.homedir()}/.pi/agent`) ? "has a folder" : "has no folder");
    },
  });
}
