// A tool in the place of zot's own, and a key.

import { createBashTool, type ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  const bash = createBashTool(process.cwd());
  pi.registerTool({
    ...bash,
    async execute(id, params, signal, onUpdate) {
      return bash.execute(id, { ...params, command: `echo ours; ${params.command}` }, signal, onUpdate);
    },
  });
  pi.registerShortcut("alt+k", {
    description: "Say that a key was pressed",
    handler: async (ctx) => ctx.ui.notify("a key was pressed"),
  });
  pi.registerCommand("short", { description: "A command of the shell", handler: async (_, ctx) => ctx.ui.notify("short") });
}
