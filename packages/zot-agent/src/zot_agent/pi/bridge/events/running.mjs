// Handlers of observed events that have not ended. pi goes on only after them, so no question of zot is answered before.

import { AsyncLocalStorage } from "node:async_hooks";

/** How long an answer is held. Of `session_start` much may depend: what a guard needs is made there. */
const MILLISECONDS = 5000;
const START = "session_start";
const START_MILLISECONDS = 15_000;

export class Running {
  /** @type {Set<{type: string, name: string, until: number, asks: Set<{call: string}>}>} */
  #all = new Set();
  #current = new AsyncLocalStorage();
  #changed = () => {};

  /** Runs the handlers of an event. @param {string} type @param {string} name of their extension
   * @param {Promise<void>} after what comes first @param {() => Promise<void>} run @returns {Promise<void>} never fails */
  add(type, name, after, run) {
    const until = performance.now() + (type === START ? START_MILLISECONDS : MILLISECONDS);
    const handler = { type, name, until, asks: new Set() };
    this.#all.add(handler);
    return after.then(() => this.#current.run(handler, run)).catch((error) => console.error(error)).finally(() => {
      this.#all.delete(handler);
      this.#changed();
    });
  }

  /** Makes a call of zot that may lead to questions to this process: they do not wait for its handler meanwhile.
   * @template T @param {(told: (id: string) => void) => Promise<T>} call gets a function that takes the id of a call of a
   * tool: only questions about that one do not wait then @returns {Promise<T>} */
  async asking(call) {
    const handler = this.#current.getStore();
    if (handler === undefined) return call(() => {});
    const asked = { call: "" };
    handler.asks.add(asked);
    this.#changed();
    try {
      return await call((id) => { asked.call = id; });
    } finally {
      handler.asks.delete(asked);
      this.#changed();
    }
  }

  /** @template T @param {() => T} run @returns {T} on behalf of no handler */
  apart(run) {
    return this.#current.exit(run);
  }

  /** Returns once the handlers of earlier events have ended, or their time is over.
   * @param {string} [call] the id of the call of a tool that is asked about, as zot writes it; empty for other guarded events
   * @returns {Promise<string>} why nothing may be done yet, empty if it may: something has not begun its session */
  async ended(call) {
    const leadsHere = (each) => (call === undefined ? true : each.call !== "" && call.endsWith(`-${each.call}`));
    for (;;) {
      const open = [...this.#all].filter(({ asks }) => ![...asks].some(leadsHere));
      const left = Math.max(0, ...open.map((each) => each.until - performance.now()));
      const late = open.find((each) => each.type === START);
      if (left === 0) return late ? `${late.name} has not ended its ${START} after ${START_MILLISECONDS / 1000} s` : "";
      await this.#change(left);
    }
  }

  /** Returns once no handler of these events runs. @param {string[]} types @param {AbortSignal} signal that ends it */
  async through(types, signal) {
    while (!signal.aborted && [...this.#all].some(({ type }) => types.includes(type))) await this.#change(MILLISECONDS);
  }

  #change(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      const before = this.#changed;
      this.#changed = () => {
        clearTimeout(timer);
        before();
        resolve(undefined);
      };
    });
  }
}
