// What is said to zot and has not reached the model.
//
// While a prompt is being answered it is a `follow_up`: zot takes it up when it would be done, and lets it fall when it is
// stopped. Otherwise it is a `prompt`, which begins later on its own if something else is being done.

let count = 0; // messages so far: the ids of their commands

export class Waiting {
  #messages = [];
  #send;
  #changed;
  #back;

  // `send` sends a command; `changed` is called when others are shown; `back` gets text that zot will not hear, and why.
  constructor(send, changed, back) {
    this.#send = send;
    this.#changed = changed;
    this.#back = back;
  }

  // The texts that wait, in order.
  get shown() {
    return this.#messages.filter((each) => each.shown).map(({ text }) => text);
  }

  say(text, busy) {
    count += 1;
    const message = { id: `message ${count}`, text, type: busy ? "follow_up" : "prompt", shown: busy };
    this.#messages.push(message);
    this.#hand(message);
    this.#changed();
  }

  // A response; whether it was to one of these.
  answered({ id, success, data, error }) {
    const message = this.#messages.find((each) => each.id === id);
    if (!message) return false;
    if (success) {
      message.taken = true;
      message.shown ||= Boolean(data?.queued);
      if (!message.shown) this.#drop(message);
    } else if (message.type === "follow_up" && !message.stopped) { // what it was to follow is over
      message.type = "prompt";
      this.#hand(message);
    } else {
      this.#giveBack([message], error);
    }
    this.#changed();
    return true;
  }

  // These texts have reached the model.
  heard(...texts) {
    for (const text of texts) {
      const message = this.#messages.find((each) => each.taken && each.text.trim() === text.trim());
      if (message) this.#drop(message);
    }
    this.#changed();
  }

  // The connection is gone: what was not answered may not have come.
  lost() {
    this.#giveBack(this.#messages.filter((each) => !each.taken));
    this.#changed();
  }

  // Zot is asked to stop: what it has not accepted yet is not to begin something new.
  stop() {
    for (const message of this.#messages) message.stopped = true;
  }

  // A prompt is over. What came too late for it is a prompt of its own, or given back if it was not `complete`; how much
  // was given back.
  end(complete) {
    const next = this.#messages.find((each) => each.taken && each.type === "prompt");
    if (next?.text.trim().startsWith("/")) this.#drop(next); // a command begins now, and no message of the user tells so
    const late = this.#messages.filter((each) => each.taken && each.type === "follow_up");
    for (const message of complete ? late : []) {
      Object.assign(message, { type: "prompt", taken: false });
      this.#hand(message);
    }
    if (!complete) this.#giveBack(late);
    this.#changed();
    return complete ? 0 : late.length;
  }

  #hand({ id, type, text }) {
    this.#send({ id, type, message: text });
  }

  #giveBack(messages, why = "") {
    for (const message of messages) this.#drop(message);
    if (messages.length) this.#back(messages.map(({ text }) => text).join("\n"), why);
  }

  #drop(message) {
    this.#messages = this.#messages.filter((each) => each !== message);
  }
}
