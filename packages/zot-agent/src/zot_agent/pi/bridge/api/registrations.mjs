// What one extension has registered.

/** @typedef {ReturnType<typeof createRegistrations>} Registrations */

/** @param {string} name @param {string} entry */
export function createRegistrations(name, entry) {
  return {
    name,
    entry,
    /** @type {Map<string, Function[]>} */ handlers: new Map(),
    /** @type {Map<string, any>} */ tools: new Map(),
    /** @type {Map<string, any>} */ commands: new Map(),
    /** @type {Map<string, any>} */ shortcuts: new Map(),
    /** @type {Map<string, any>} */ flags: new Map(),
    /** @type {Map<string, Function>} */ messageRenderers: new Map(),
    /** @type {Map<string, any>} */ providers: new Map(),
    /** @type {Map<string, Function>} */ entryRenderers: new Map(),
    /** @type {Function | undefined} */ markdownTransformer: undefined,
    /** Why nothing of it may be used any more; empty while it is in use. */ stale: "",
    /** What it guarded before, and may guard again once its handlers of `session_start` have ended.
     * @type {string[]} */ expected: [],
    /** The end of its chain of observed events. */ chain: Promise.resolve(),
    /** Whether it may add tools in its handlers of `session_start`: its code is new, or did so the last time. */ addsTools: false,
    /** How many tools its function has registered. */ ownTools: 0,
    /** Whether the agent does not work, as far as it was told. */ idle: true,
  };
}

/** @param {Registrations} extension */
export function sourceOf(extension) {
  return { path: extension.entry, source: "local", scope: "user", origin: "top-level" };
}
