// `Bridge`: everything that the extensions of this process share, and the frames of zot.

import { EventEmitter } from "node:events";
import { takePlace } from "../command/place.mjs";
import { nameOf } from "../load/entries.mjs";
import { allEntries, inTime, load } from "../load/loader.mjs";
import { guardedBy, keepAddedTools, keepGuards } from "../load/guards.mjs";
import { Intercepts, guardsOf } from "../events/intercepts.mjs";
import { Blocks } from "../events/blocks.mjs";
import { Observed } from "../events/observed.mjs";
import { Running } from "../events/running.mjs";
import { Screen } from "../screen/screen.mjs";
import { Tools } from "../tools/tools.mjs";
import { takeStreams } from "../wire/streams.mjs";
import { Wire } from "../wire/wire.mjs";
import { createApi } from "./api.mjs";
import { Commands } from "./commands.mjs";
import { membersOf } from "./context.mjs";
import { Models } from "./models.mjs";
import { Providers } from "./providers.mjs";
import { SessionReader } from "./sessions.mjs";

const GROUPS = [
  "commands", "tools", "events", "panels", "submit", "ui", "messages", "session", "storage", "control", "model", "exec",
  "tools2", "call_tool", "tool_cancel", "widgets", "panels2", "editor", "keys", "autocomplete", "renderers", "cancel",
  "registration_result", "events2", "stream_events", "intercepts2", "large_frames", "flags", "bus", "resources",
  "providers", "ready",
];
const STALE = "This extension ctx is stale after session replacement or reload. Do not use a captured pi or command ctx "
  + "after ctx.newSession(), ctx.fork(), ctx.switchSession(), or ctx.reload().";
const EXIT_MILLISECONDS = 1900;
const RESULTS_KEPT = 500;

export class Bridge {
  ack = {};
  cwd = process.cwd();
  bound = false;
  changing = 0;
  lastSummary = "";
  /** How many lines a conversation had, if an extension has kept some of them as its summary. */
  regionLines = 0;
  /** The message of an extension that the next run begins with. @type {{text: string, message: any} | null} */
  begins = null;
  signal = undefined;
  /** @type {import("./registrations.mjs").Registrations[]} */
  extensions = [];
  /** What cannot be used, and what it guarded. @type {{name: string, error: string, events: string[]}[]} */
  lost = [];
  apis = new Map();
  toolNames = new Map();
  details = new Map();
  replacing = Promise.resolve();
  isReplacing = false;
  #requests = new Map();
  #sent = new Set();
  #scheduled = false;
  #ending = false;

  /** @param {string[]} paths */
  constructor(paths) {
    this.paths = paths;
    this.running = new Running();
    this.greeted = new Promise((resolve) => { this.#greet = resolve; });
    this.wire = new Wire(takeStreams((text) => this.#alert(text)), (frame) => this.#dispatch(frame), () => exit());
    this.sessions = new SessionReader(this);
    this.models = new Models(this);
    this.providers = new Providers(this);
    this.commands = new Commands(this);
    this.tools = new Tools(this);
    this.screen = new Screen(this);
    this.ui = this.screen.ui;
    this.intercepts = new Intercepts(this);
    this.observed = new Observed(this);
    this.blocks = new Blocks(this.observed);
    this.bus = this.#bus();
    globalThis[Symbol.for("zot.pi.bridge")] = this;
  }

  #greet;

  get mode() { return this.ack.mode === "tui" ? "tui" : (this.ack.mode ?? "print"); }
  get hasUI() { return this.ack.has_ui === true; }
  get hasScreen() { return this.ack.mode === "tui"; }
  get flags() {
    const given = this.ack.explicit_flags ?? [];
    return Object.fromEntries(Object.entries(this.ack.flags ?? {}).filter(([name]) => given.includes(name)));
  }

  async start() {
    this.wire.send({ type: "hello", name: "pi", version: "1", capabilities: GROUPS });
    await this.greeted;
    this.cwd = this.ack.cwd || this.cwd;
    try {
      process.chdir(this.cwd);
    } catch { /* the folder is gone: extensions see where this process began */ }
    const { entries, errors } = allEntries(this.paths);
    for (const error of errors) this.notify("error", error);
    const missing = [...errors];
    this.entries = entries;
    await this.#load();
    this.bound = true;
    for (const each of this.extensions) for (const [name, config] of each.providers) this.providers.register(name, config);
    this.#register();
    await inTime(this.observed.resources("startup")).catch((error) => this.notify("error", `skills, prompts and themes: ${error.message}`));
    missing.push(...this.lost.map(({ name, error }) => `${name} cannot be used: ${error}`));
    this.wire.send({ type: "ready", ...(missing.length ? { missing } : {}) });
  }

  async #load() {
    this.extensions = [];
    this.lost = this.entries.map((entry) => ({ name: nameOf(entry), error: "it is not loaded", events: guardedBy(entry) }));
    this.apis.clear();
    const [extensions, lost] = [[], []];
    const apiFor = (found) => {
      const api = createApi(this, found);
      this.apis.set(found, api);
      return api;
    };
    for await (const found of load(this.entries, apiFor, membersOf(this))) {
      const { name, entry, error, missing } = found;
      if (missing.length) this.notify("warn", `${name} uses what is not there outside of pi: ${missing.join(", ")}`);
      if (error) {
        lost.push({ name, error, events: guardedBy(entry) });
        this.notify("error", `${name} cannot be used: ${error}`);
      } else {
        found.expected = found.handlers.has("session_start") ? guardedBy(entry) : [];
        extensions.push(found);
      }
    }
    [this.extensions, this.lost] = [extensions, lost];
  }

  /** Has what an extension guarded refused, because it has not begun its session whole.
   * @param {import("./registrations.mjs").Registrations} extension @param {any} failure @returns {true} */
  lose(extension, failure) {
    const events = extension.expected.filter((each) => !extension.handlers.has(each));
    if (events.length) this.lost.push({ name: extension.name, error: `its session_start failed: ${failure?.message ?? failure}`, events });
    return true;
  }

  /** Notes that the handlers of `session_start` of an extension have ended.
   * @param {import("./registrations.mjs").Registrations} extension @param {boolean} failed */
  begin(extension, failed) {
    if (!failed) extension.expected = [];
    keepAddedTools(extension.entry, extension.tools.size > extension.ownTools);
    this.registered();
  }

  /** Loads all extensions again, because the session is another one. @param {any} event of zot */
  replace(event) {
    this.isReplacing = true;
    this.replacing = this.replacing.then(async () => {
      for (const each of this.extensions) each.stale = STALE;
      this.screen.clear();
      this.bound = false;
      await this.#load();
      this.bound = true;
      this.#register();
      await this.observed.resources("startup");
      await this.observed.started(event);
    }).catch((error) => this.notify("error", `extensions cannot be loaded again: ${error.message}`))
      .finally(() => { this.isReplacing = false; });
  }

  /** Returns once a change of the session is through. */
  async replaced() {
    await new Promise((resolve) => setImmediate(resolve));
    await this.replacing;
  }

  registered() {
    if (!this.bound || this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => { this.#scheduled = false; this.#register(); });
  }

  #register() {
    this.tools.register();
    this.commands.register();
    const { events, intercept, intercept_options } = this.observed.subscriptions(this.intercepts.names());
    const more = (names, kind) => names.filter((name) => !this.#sent.has(`${kind}.${name}`));
    const frame = { events: more(events, "event"), intercept: more(intercept, "intercept"), intercept_options };
    const options = more(Object.keys(intercept_options), "options");
    if (frame.events.length || frame.intercept.length || options.length) this.wire.send({ type: "subscribe", ...frame });
    for (const name of frame.events) this.#sent.add(`event.${name}`);
    for (const name of frame.intercept) this.#sent.add(`intercept.${name}`);
    for (const name of options) this.#sent.add(`options.${name}`);
    for (const each of this.extensions) keepGuards(each.entry, guardsOf(each));
    for (const each of this.extensions) {
      for (const flag of each.flags.values()) {
        if (this.#sent.has(`flag.${flag.name}`)) continue;
        this.#sent.add(`flag.${flag.name}`);
        this.wire.send({ type: "register_flag", name: flag.name, flag_type: flag.type, default: flag.default, description: flag.description ?? "" });
      }
    }
    this.screen.registerRenderers();
  }

  systemPrompt() {
    return this.wire.callNow("control.system_prompt").text;
  }

  /** @param {"info" | "warn" | "error"} level @param {string} message */
  notify(level, message) {
    this.wire.send({ type: "notify", level, message });
  }

  #alert(text) {
    if (this.bound) this.wire.call("widgets.alert", { text }, { parent: false }).catch(() => {});
  }

  /** Says that an extension has failed. */
  report(extension, where, error) {
    if (this.#ending) return;
    console.error(`${extension.name}: ${where}:`, error);
    this.notify("error", `${extension.name}: ${where}: ${error?.message ?? error}`);
  }

  keepDetails(message, text) {
    if (message.details === undefined) return;
    this.details.set(`${message.customType}\0${text}`, message.details);
    if (this.details.size > RESULTS_KEPT) this.details.delete(this.details.keys().next().value);
  }

  /** Runs a function on behalf of a question of zot. @param {string} id
   * @param {(request: import("../wire/wire.mjs").Request) => Promise<void>} answer */
  serve(id, answer) {
    const request = { id, open: true, abort: new AbortController() };
    this.#requests.set(id, request);
    this.running.apart(() => this.wire.request.run(request, async () => {
      try {
        await new Promise((resolve) => setImmediate(resolve)); // events that came before have their handlers first
        if (this.isReplacing && this.changing === 0) await this.replacing;
        await answer(request);
      } catch (error) {
        console.error(error);
      } finally {
        request.open = false;
        this.#requests.delete(id);
      }
    }));
  }

  #dispatch(frame) {
    switch (frame.type) {
      case "hello_ack":
        this.ack = frame;
        return this.#greet();
      case "event":
        return this.observed.take(frame);
      case "event_intercept":
        return this.intercepts.take(frame);
      case "tool_call":
        return this.tools.take(frame);
      case "command_invoked":
        return this.commands.take(frame);
      case "cancel":
      case "tool_cancel":
        return this.#requests.get(frame.id)?.abort.abort();
      case "registration_result":
        return this.commands.refused(frame);
      case "shutdown":
        return void this.#end();
    }
    if (frame.type.startsWith("panel_")) this.screen.panels.take(frame);
    if (frame.type.startsWith("provider_")) this.providers.take(frame);
  }

  async #end() {
    this.#ending = true;
    const last = new Promise((resolve) => setTimeout(resolve, EXIT_MILLISECONDS));
    await Promise.race([last, Promise.all([this.replacing, ...this.extensions.map((each) => each.chain)])]);
    this.wire.send({ type: "shutdown_ack" });
    exit();
  }

  /** `pi.events`: to the extensions of this process at once, to others through zot. */
  #bus() {
    const emitter = new EventEmitter();
    emitter.setMaxListeners(0);
    this.observed.onBus = (channel, data) => emitter.emit(channel, data);
    return {
      emit: (channel, data) => {
        emitter.emit(channel, data);
        if (this.bound && /^[^\s*]{1,200}$/.test(channel)) {
          this.wire.call("bus.emit", { channel, data: data ?? null }, { parent: false }).catch(() => {});
        }
      },
      on: (channel, handler) => {
        const safe = async (data) => {
          try {
            await handler(data);
          } catch (error) {
            console.error(`Event handler error (${channel}):`, error);
          }
        };
        emitter.on(channel, safe);
        if (!this.#sent.has(`event.bus:${channel}`)) {
          this.#sent.add(`event.bus:${channel}`);
          this.wire.send({ type: "subscribe", events: [`bus:${channel}`] });
        }
        return () => emitter.off(channel, safe);
      },
      clear: () => emitter.removeAllListeners(),
    };
  }
}

const exit = process.exit.bind(process);

/** An extension that ends the process would end its neighbours too. */
function keepAlive(bridge) {
  process.exit = () => {
    throw new Error("process.exit ends zot's extensions; an extension ends zot with ctx.shutdown()");
  };
  const say = (error) => {
    console.error(error);
    bridge.notify("error", `an extension has failed outside of its handlers: ${error?.message ?? error}`);
  };
  process.on("uncaughtException", say);
  process.on("unhandledRejection", say);
}

/** @param {string[]} paths */
export async function run(paths) {
  takePlace(process.env.ZOT_PI_CACHE);
  const bridge = new Bridge(paths);
  keepAlive(bridge);
  await bridge.start();
}
