// The two streams to zot. They are moved away from the descriptors 0 and 1, so that neither a `console.log` of an
// extension nor a program that it starts can write into the wire or read from it.

import fs from "node:fs";
import net from "node:net";

/** Moves descriptor `number` elsewhere and puts `instead` at its place.
 * @param {number} number @param {string} flags @param {string} instead @returns {number} the new descriptor */
function move(number, flags, instead) {
  try {
    const moved = fs.openSync(`/dev/fd/${number}`, flags);
    fs.closeSync(number);
    const placed = fs.openSync(instead, flags); // the lowest free descriptor, which is `number`
    if (placed !== number) fs.closeSync(placed);
    return moved;
  } catch {
    return number; // a socket, or a system without /dev/fd: the redirected console is all there is then
  }
}

/** The text of a notification of the desktop, in the sequences of terminals (OSC 9, 99 and 777). */
const NOTIFICATION = /\x1b\](?:777;notify;([^;\x07\x1b]*);?|9;|99;[^;]*p=body[^;]*;)([^\x07\x1b]*)(?:\x07|\x1b\\)/g;

/** Takes the streams. From now on what is printed goes to standard error.
 * @param {(text: string) => void} alert gets the notifications that an extension writes for the terminal
 * @returns {{input: number, output: number}} descriptors */
export function takeStreams(alert) {
  const output = move(1, "a", "/dev/fd/2"); // "w" would empty a log that is a file;
  const input = move(0, "r", "/dev/null");
  process.stdout.write = (text, ...rest) => {
    for (const [, title, body] of String(text).matchAll(NOTIFICATION)) alert([title, body].filter(Boolean).join(": "));
    return process.stderr.write(text, ...rest);
  };
  return { input, output };
}

/** Reads bytes as they come, and on demand at once.
 *
 * Extensions ask for much with functions that return at once (`getEntries()`), so there must be a way to wait for an
 * answer without returning to the event loop. Both ways read the same descriptor, and only one thread does. */
export class Input {
  #descriptor;
  #buffer = Buffer.allocUnsafe(65536);
  #pause = new Int32Array(new SharedArrayBuffer(4));

  /** @param {number} descriptor @param {(bytes: Buffer) => void} take @param {() => void} end */
  constructor(descriptor, take, end) {
    this.#descriptor = descriptor;
    this.take = take;
    this.end = end;
    let stream;
    try {
      stream = new net.Socket({ fd: descriptor, readable: true, writable: false });
    } catch {
      stream = fs.createReadStream("", { fd: descriptor, autoClose: false }); // a file, in a test by hand
    }
    stream.on("data", (bytes) => take(bytes));
    stream.on("end", () => end());
    stream.on("error", () => end());
  }

  /** Reads what is there, or waits for `milliseconds`. @param {number} milliseconds */
  readNow(milliseconds) {
    let count;
    try {
      count = fs.readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, null);
    } catch (error) {
      if (error.code !== "EAGAIN" && error.code !== "EINTR") throw error;
      Atomics.wait(this.#pause, 0, 0, milliseconds);
      return;
    }
    if (count === 0) this.end();
    else this.take(Buffer.from(this.#buffer.subarray(0, count)));
  }
}

/** Writes all of a text. @param {number} descriptor @param {string} text */
export function writeAll(descriptor, text) {
  const bytes = Buffer.from(text, "utf8");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code === "EPIPE") process.exit(0); // zot is gone
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}
