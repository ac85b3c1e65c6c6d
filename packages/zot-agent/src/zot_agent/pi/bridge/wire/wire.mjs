// Frames: one JSON object a line. Calls of zot, with and without waiting in the event loop.

import { AsyncLocalStorage } from "node:async_hooks";
import { Input, writeAll } from "./streams.mjs";

const SYNC_MILLISECONDS = 10_000;
const LONGEST = 16 * 1024 * 1024;

/** A call that zot has refused, or that has failed there. */
export class HostError extends Error {
  /** @param {string} code @param {string} text */
  constructor(code, text) {
    super(text || code);
    this.code = code;
  }
}

/** A question of zot that is being answered.
 * @typedef {{id: string, open: boolean, abort: AbortController}} Request */

export class Wire {
  #output;
  #input;
  #rest = [];
  #size = 0;
  #frames = [];
  #pumping = false;
  #calls = new Map();
  #next = 0;

  /** @type {AsyncLocalStorage<Request>} the question on whose behalf the current function runs */
  request = new AsyncLocalStorage();

  /** @param {{input: number, output: number}} streams @param {(frame: any) => void} dispatch @param {() => void} end */
  constructor(streams, dispatch, end) {
    this.#output = streams.output;
    this.dispatch = dispatch;
    this.#input = new Input(streams.input, (bytes) => { this.#take(bytes); this.#pump(); }, end);
    this.waiting = false;
  }

  /** @param {object} frame */
  send(frame) {
    const text = JSON.stringify(frame);
    if (text.length > LONGEST) throw new HostError("too_large", "this is too large for a frame");
    writeAll(this.#output, `${text}\n`);
  }

  /** Asks zot for something; the promise has the result.
   * @param {string} method @param {object} [params]
   * @param {{signal?: AbortSignal, onDelta?: (text: string) => void, parent?: boolean}} [options] @returns {Promise<any>} */
  call(method, params = {}, options = {}) {
    const { id, frame } = this.#callFrame(method, params, options.parent ?? true);
    return new Promise((resolve, reject) => {
      const { signal, onDelta } = options;
      const cancel = () => this.send({ type: "cancel", id });
      this.#calls.set(id, {
        onDelta,
        settle: (answer) => {
          signal?.removeEventListener("abort", cancel);
          if (answer.code) reject(new HostError(answer.code, answer.error));
          else resolve(answer.result ?? {});
        },
      });
      this.send(frame);
      if (signal?.aborted) cancel();
      else signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** The same, but waits here: nothing else of this process runs meanwhile. With `waits` a person may take their time.
   * @param {string} method @param {object} [params] @param {{waits?: boolean}} [options] @returns {any} */
  callNow(method, params = {}, { waits = false } = {}) {
    const { id, frame } = this.#callFrame(method, params, waits);
    let answer;
    this.#calls.set(id, { settle: (found) => { answer = found; } });
    this.send(frame);
    const last = performance.now() + SYNC_MILLISECONDS;
    this.waiting = true;
    try {
      for (let round = 0; answer === undefined; round += 1) {
        if (!waits && performance.now() > last) throw new HostError("timeout", `zot did not answer ${method}`);
        this.#input.readNow(round < 50 ? 0.05 : 1);
      }
    } finally {
      this.waiting = false;
      if (this.#frames.length) setImmediate(() => this.#pump());
    }
    if (answer.code) throw new HostError(answer.code, answer.error);
    return answer.result ?? {};
  }

  /** Calls a tool of the agent. @param {object} frame without type and id @param {AbortSignal} [signal] */
  callTool(frame, signal, told = (_) => {}) {
    const id = `t${(this.#next += 1)}`;
    told(id);
    const parent = this.request.getStore();
    return new Promise((resolve) => {
      this.#calls.set(id, { settle: resolve });
      this.send({ type: "call_tool", id, ...frame, ...(parent?.open ? { parent_id: parent.id } : {}) });
      signal?.addEventListener("abort", () => this.send({ type: "call_tool_cancel", id }), { once: true });
    });
  }

  #callFrame(method, params, wantsParent) {
    const id = `h${(this.#next += 1)}`;
    const parent = wantsParent ? this.request.getStore() : undefined;
    const frame = { type: "host_call", id, method, params };
    return { id, frame: parent?.open ? { ...frame, parent_id: parent.id } : frame };
  }

  #take(bytes) {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#rest.push(bytes.subarray(start, end));
      const line = this.#rest.length === 1 ? this.#rest[0] : Buffer.concat(this.#rest);
      this.#rest = [];
      this.#size = 0;
      start = end + 1;
      if (line.length) this.#read(line);
    }
    if (start < bytes.length) {
      this.#rest.push(bytes.subarray(start));
      this.#size += bytes.length - start;
      if (this.#size > 2 * LONGEST) this.#rest = [];
    }
  }

  #read(line) {
    let frame;
    try {
      frame = JSON.parse(line.toString("utf8"));
    } catch {
      return;
    }
    const call = this.#calls.get(frame.id);
    if (call !== undefined && (frame.type === "host_result" || frame.type === "tool_result")) {
      this.#calls.delete(frame.id);
      call.settle(frame);
    } else if (call !== undefined && frame.type === "host_progress") {
      call.onDelta?.(frame.delta);
    } else {
      this.#frames.push(frame);
    }
  }

  #pump() {
    if (this.#pumping || this.waiting) return;
    this.#pumping = true;
    try {
      while (this.#frames.length) this.dispatch(this.#frames.shift());
    } finally {
      this.#pumping = false;
    }
  }
}
