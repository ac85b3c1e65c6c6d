// What extensions use that cannot be had over a pipe. It is told when they are loaded.

const NAMES = {
  createAgentSession: "an agent in the process of the extension", AgentSession: "the agent's own object",
  createAgentSessionRuntime: "an agent in the process of the extension",
  createAgentSessionFromServices: "an agent in the process of the extension",
  createAgentSessionServices: "the agent's own objects", AgentSessionRuntime: "the agent's own object",
  ExtensionRunner: "the host of extensions", discoverAndLoadExtensions: "the host of extensions",
  InteractiveMode: "pi's own screen", runPrintMode: "pi's own modes", runRpcMode: "pi's own modes",
  main: "pi's command line", DefaultPackageManager: "pi's packages", DefaultResourceLoader: "pi's loader",
};

/** Events of pi that zot does not have. */
const EVENTS = ["agent_before_settle", "cache_warming_decision", "context_with_system", "session_compact_failed"];

/** @param {Map<string, Function[]>} handlers by event @returns {string[]} a line for each thing */
export function unheard(handlers) {
  return EVENTS.filter((each) => handlers.has(each)).map((each) => `the event ${each}`);
}

/** @param {Iterable<string>} texts of its modules @returns {string[]} a line for each thing */
export function unavailable(texts) {
  const found = new Set();
  for (const text of texts) {
    for (const match of text.matchAll(/import\s*\{([^}]*)\}\s*from\s*["'](@[^"']*\/(?:pi-coding-agent|atomic))["']/g)) {
      for (const part of match[1].split(",")) {
        const name = part.trim().split(/\s+as\s+/)[0];
        if (Object.hasOwn(NAMES, name)) found.add(`${name} (${NAMES[name]})`);
      }
    }
  }
  return [...found];
}
