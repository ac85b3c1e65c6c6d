// The connection to one session: commands and their responses, and events.

import { FIELDS } from "./operations.js";
import { server } from "./server.js";

const LONGEST = 10_000; // milliseconds between two attempts to connect

export class Link {
  #socket = null;
  #retry = 0;
  #waiting = new Map(); // the id of a command -> what to do with its response
  #count = 0;
  #on;

  // `on` has functions: `open`, `line` (an event, or a response that nobody waits for), `lost`, and `refused` with an
  // error of the server; it returns whether the session is still there.
  constructor(id, on) {
    this.id = id;
    this.#on = on;
  }

  connect(tries = 0) {
    const socket = server.connect(`/sessions/${this.id}/ws`);
    let failed = tries;
    this.#socket = socket;
    socket.onopen = () => this.#on.open();
    socket.onmessage = ({ data }) => {
      failed = 0;
      this.#take(JSON.parse(data));
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#drop("the connection is lost");
      this.#on.lost();
      this.#later(failed);
    };
  }

  #later(tries) {
    const wait = Math.min(500 * 2 ** tries, LONGEST);
    this.#retry = setTimeout(async () => {
      const there = await this.#on.still();
      if (there === null) this.#later(tries + 1);
      else if (there && this.#socket) this.connect(tries + 1);
    }, wait);
  }

  close() {
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#drop("the session is left");
  }

  #drop(why) {
    for (const { fail } of this.#waiting.values()) fail(new Error(why));
    this.#waiting.clear();
  }

  #take(line) {
    const one = line.type === "response" ? this.#waiting.get(line.id) : null;
    if (!one) return this.#on.line(line);
    this.#waiting.delete(line.id);
    return line.success ? one.done(line.data) : one.fail(Object.assign(new Error(line.error), { code: line.code }));
  }

  // Send a command. Returns whether there is a connection. Throws an `Error` for a name or a field that there is not.
  send(command) {
    const known = FIELDS[command.type];
    const wrong = Object.keys(command).find((name) => !["id", "type", ...(known ?? [])].includes(name));
    if (!known || wrong) throw new Error(`${command.type} has no ${known ? wrong : "operation"}`);
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(command));
    return true;
  }

  // Send a command, and return a promise of the data of its response. An error is an `Error`, perhaps with a `code`.
  ask(type, fields = {}) {
    this.#count += 1;
    const id = `page ${this.#count}`;
    return new Promise((done, fail) => {
      if (!this.send({ id, type, ...fields })) fail(new Error("there is no connection yet"));
      else this.#waiting.set(id, { done, fail });
    });
  }
}
