// Questions of a session, shown one after the other: the first answer of any client counts.

import { $ } from "../dom.js";

export class Questions {
  #session = null;
  #waiting = []; // the first one is shown

  // The question that is shown.
  get open() {
    return this.#waiting[0];
  }

  // The questions of this session.
  of(session) {
    this.#session = session;
    return this;
  }

  // Show these questions in place of all others.
  show(requests) {
    const shown = this.open?.request;
    this.#waiting = [...requests];
    if (shown !== this.open?.request) this.draw(this.open); // else a person may have begun to answer
  }

  add(request) {
    this.#waiting.push(request);
    if (this.#waiting.length === 1) this.draw(this.open);
  }

  // A question is over, also if another client has answered it.
  resolved(id) {
    const shown = this.open?.request;
    this.#waiting = this.#waiting.filter(({ request }) => request !== id);
    if (shown === id) this.draw(this.open);
  }

  // Answer the question that is shown.
  answer(frame) {
    const { request } = this.open;
    this.#session.send({ ...frame, request });
    this.resolved(request);
    $("message").focus();
  }
}
