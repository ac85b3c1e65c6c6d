// A queue that is read with `for await` and has a result, as `EventStream` of pi-ai.

export class EventStream {
  #queue = [];
  #waiting = [];
  #done = false;
  #settle;

  /** @param {(event: any) => boolean} isLast @param {(event: any) => any} resultOf */
  constructor(isLast, resultOf) {
    this.isLast = isLast;
    this.resultOf = resultOf;
    this.settled = new Promise((resolve) => { this.#settle = resolve; });
  }

  push(event) {
    if (this.#done) return;
    if (this.isLast(event)) {
      this.#done = true;
      this.#settle(this.resultOf(event));
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting({ value: event, done: false });
    else this.#queue.push(event);
    if (this.#done) this.#release();
  }

  end(result) {
    this.#done = true;
    if (result !== undefined) this.#settle(result);
    this.#release();
  }

  #release() {
    for (const each of this.#waiting.splice(0)) each({ value: undefined, done: true });
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#queue.length) yield this.#queue.shift();
      else if (this.#done) return;
      else {
        const next = await new Promise((resolve) => this.#waiting.push(resolve));
        if (next.done) return;
        yield next.value;
      }
    }
  }

  result() {
    return this.settled;
  }
}
