// `pi`: the object that the function of an extension gets.

import { spawn } from "node:child_process";
import { blocksOf, shortLine, textOf } from "../events/messages.mjs";
import { SettingsManager } from "../shims/coding-agent.mjs";
import { NO_DATA } from "./sessions.mjs";

const NOT_YET = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

/** @param {import("./bridge.mjs").Bridge | null} bridge null: only registrations are possible
 * @param {import("./registrations.mjs").Registrations} extension */
export function createApi(bridge, extension) {
  const check = () => {
    if (extension.stale) throw new Error(extension.stale);
  };
  const host = () => {
    check();
    if (bridge === null || !bridge.bound) throw new Error(NOT_YET);
    return bridge;
  };
  const registered = (change) => {
    check();
    change();
    bridge?.registered(extension);
  };
  return {
    on: (event, handler) => {
      registered(() => extension.handlers.set(event, [...(extension.handlers.get(event) ?? []), handler]));
      return () => extension.handlers.set(event, extension.handlers.get(event).filter((each) => each !== handler));
    },
    registerTool: (tool) => registered(() => extension.tools.set(tool.name, tool)),
    registerCommand: (name, options) => registered(() => extension.commands.set(name, { name, ...options })),
    registerShortcut: (key, options) => registered(() => extension.shortcuts.set(key, { key, ...options })),
    registerFlag: (name, options) => registered(() => extension.flags.set(name, { name, ...options })),
    registerMessageRenderer: (type, renderer) => registered(() => extension.messageRenderers.set(type, renderer)),
    registerEntryRenderer: (type, renderer) => registered(() => extension.entryRenderers.set(type, renderer)),
    registerMarkdownTransformer: (transformer) => registered(() => { extension.markdownTransformer = transformer; }),
    registerProvider: (given, more) => registered(() => {
      const [name, config] = typeof given === "string" ? [given, more] : [given.id, given];
      extension.providers.set(name, config);
      if (bridge?.bound) bridge.providers.register(name, config);
    }),
    unregisterProvider: (name) => registered(() => {
      if (extension.providers.delete(name) && bridge?.bound) bridge.providers.unregister(name);
    }),
    getFlag: (name) => {
      check();
      const flag = extension.flags.get(name);
      return flag === undefined ? undefined : (bridge?.flags[name] ?? flag.default);
    },
    sendMessage: (message, options) => sendCustom(host(), extension, message, options),
    sendMessages: (messages, options) => {
      for (const message of messages) sendCustom(host(), extension, message, options);
    },
    awaitUserDecision: (label, reason) => host().blocks.open(label, reason),
    sendUserMessage: (content, options) => sendUser(host(), extension, content, options),
    appendEntry: (customType, data) => {
      host().wire.callNow("session.append", { custom_type: customType, data: data ?? NO_DATA });
      bridge.sessions.forget();
    },
    setSessionName: (name) => {
      host().wire.callNow("session.rename", { title: shortLine(name) });
      bridge.sessions.forget();
    },
    getSessionName: () => host().sessions.getSessionName(),
    setLabel: (entry, label) => {
      host().wire.callNow("session.label", { entry: bridge.sessions.rowOf(entry), label: shortLine(label) });
      bridge.sessions.forget();
    },
    exec: (command, args, options) => {
      check();
      return execute(command, args ?? [], { cwd: bridge?.cwd ?? process.cwd(), ...options });
    },
    getActiveTools: () => host().wire.callNow("tools.active").names,
    getAllTools: () => host().wire.callNow("tools.list").tools.map((tool) => ({
      name: tool.name, description: tool.description, parameters: tool.schema,
      sourceInfo: { path: `<${tool.source}>`, source: tool.source === "zot" ? "builtin" : "extension", scope: "user", origin: "top-level" },
    })),
    setActiveTools: (names) => {
      const known = host().wire.callNow("tools.list").tools.map((tool) => tool.name);
      bridge.wire.callNow("tools.set_active", { names: names.filter((each) => known.includes(each)) });
    },
    getCommands: () => commandsOf(host()),
    getSettings: () => SettingsManager.create(host().cwd).getGlobalSettings(),
    getMcpServers: () => [],
    ...Object.fromEntries(NOTHING.map((name) => [name, check])),
    setModel: (model) => host().models.use(model),
    getThinkingLevel: () => host().models.level(),
    setThinkingLevel: (level) => host().models.setLevel(level),
    events: bridge === null ? { emit() {}, on: () => () => {} } : bridge.bus,
  };
}

/** What registers something that zot does not have, which is said when the extension is loaded. */
const NOTHING = ["registerVirtualModel", "unregisterVirtualModel", "registerMcpServer", "unregisterMcpServer", "registerToolRenderer"];

const KINDS = { template: "prompt", skill: "skill", extension: "extension" };

function commandsOf(bridge) {
  const entries = bridge.extensions.flatMap((each) => [...each.commands.keys()].map((name) => [name, each.entry]));
  const own = new Map(entries);
  const all = bridge.wire.callNow("control.commands").commands;
  return all.map(({ name, description, kind, source, path: file }) => {
    const path = own.get(name) ?? (file || source);
    return {
      name, description, source: KINDS[kind] ?? "extension", path, location: "user",
      sourceInfo: { path, source: "local", scope: "user", origin: "top-level" },
    };
  });
}

const DELIVERIES = { steer: "steer", followUp: "follow_up", nextTurn: "next_turn", interrupt: "interrupt" };

/** Images in the form that zot takes. */
function imagesIn(content) {
  return blocksOf(content).filter((each) => each.type === "image").map(({ data }) => ({ data }));
}

/** How a message of an extension is delivered: what nobody is to answer waits for the next prompt. */
function deliveryOf(bridge, { deliverAs, triggerTurn }) {
  const running = bridge.signal !== undefined; // as the handlers have heard it: at `agent_end` nothing runs any more
  if (triggerTurn === false || (!running && !triggerTurn && deliverAs !== "interrupt")) return "next_turn";
  return DELIVERIES[deliverAs] ?? (running ? "steer" : "follow_up");
}

function sendCustom(bridge, extension, message, options = {}) {
  const text = textOf(message.content) || `[${message.customType}]`; // the model reads something of each message
  const params = {
    text, images: imagesIn(message.content), custom_type: message.customType, details: message.details,
    deliver_as: deliveryOf(bridge, options), trigger: options.triggerTurn === true,
    ...(message.display === false ? { hidden: true } : {}),
  };
  bridge.keepDetails(message, text);
  if (options.triggerTurn && bridge.signal === undefined) bridge.begins = { text, message: { role: "custom", timestamp: Date.now(), ...message } };
  bridge.wire.call("messages.send", params).catch((error) => bridge.report(extension, "sendMessage", error));
}

function sendUser(bridge, extension, content, options = {}) {
  if (!options.deliverAs && !extension.idle) {
    throw new Error("Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.");
  }
  const text = textOf(content) || " ";
  const params = {
    text, images: imagesIn(content), deliver_as: DELIVERIES[options.deliverAs] ?? "follow_up",
    expand: options.expandPromptTemplates === true || !text.startsWith("/"), // handlers of `input` are asked with `expand` alone
  };
  bridge.wire.call("messages.send", params).catch((error) => bridge.report(extension, "sendUserMessage", error));
}

/** Runs a program without a shell. @param {string} command @param {string[]} args @param {any} options
 * @returns {Promise<{stdout: string, stderr: string, code: number, killed: boolean}>} */
export function execute(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: options.cwd, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr, killed, timer] = ["", "", false, null];
    const kill = () => {
      killed = true;
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
    };
    child.stdout.setEncoding("utf8").on("data", (text) => { stdout += text; });
    child.stderr.setEncoding("utf8").on("data", (text) => { stderr += text; });
    if (options.timeout > 0) timer = setTimeout(kill, options.timeout);
    if (options.signal?.aborted) kill();
    else options.signal?.addEventListener("abort", kill, { once: true });
    const end = (code) => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", kill);
      resolve({ stdout, stderr, code, killed });
    };
    child.on("error", () => end(1));
    child.on("close", (code) => end(code ?? 0));
    child.on("exit", (code) => setTimeout(() => end(code ?? 0), 100).unref());
  });
}
