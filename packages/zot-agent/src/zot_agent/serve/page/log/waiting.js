// The messages to zot that have not reached the model yet.
//
// While a prompt runs, a message is a `prompts.follow_up`: the model reads it when it would otherwise stop, and zot drops it when
// the prompt is stopped. Otherwise, or with pictures, it is a `prompt`, which is queued if a compaction or another prompt
// runs.

let count = 0; // messages so far: the ids of their commands

export class Waiting {
  #messages = [];
  #send;
  #changed;
  #back;

  // `send` sends a command; `changed` is called when the texts change; `back` gets text and pictures that zot will not read, and why.
  constructor(send, changed, back) {
    this.#send = send;
    this.#changed = changed;
    this.#back = back;
  }

  // The waiting texts, in order.
  get shown() {
    return this.#messages.filter((each) => each.shown).map(({ text, images }) => (images.length ? `${text} (with pictures)` : text));
  }

  say(text, busy, images = []) {
    count += 1;
    const type = busy && !images.length ? "prompts.follow_up" : "prompt";
    const message = { id: `message ${count}`, text, images, type, shown: busy };
    this.#messages.push(message);
    this.#hand(message);
    this.#changed();
  }

  // Handle a response. Returns whether it belongs to one of these messages.
  answered({ id, success, data, error }) {
    const message = this.#messages.find((each) => each.id === id);
    if (!message) return false;
    if (success) {
      message.taken = true;
      message.shown ||= Boolean(data?.queued);
      if (!message.shown) this.#drop(message);
    } else if (message.type === "prompts.follow_up" && !message.stopped) { // what it was to follow is over
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

  // The connection is lost: messages without a response may not have arrived.
  lost() {
    this.#giveBack(this.#messages.filter((each) => !each.taken));
    this.#changed();
  }

  // The user stops zot: messages that it has not accepted yet must not start a new prompt.
  stop() {
    for (const message of this.#messages) message.stopped = true;
  }

  // A prompt has ended. A message that came too late becomes a prompt, or is given back unless the end was `complete`.
  // Returns how many messages were given back.
  end(complete) {
    const next = this.#messages.find((each) => each.taken && each.type === "prompt");
    if (next?.text.trim().startsWith("/")) this.#drop(next); // a command begins now, and no message of the user tells so
    const late = this.#messages.filter((each) => each.taken && each.type === "prompts.follow_up");
    for (const message of complete ? late : []) {
      Object.assign(message, { type: "prompt", taken: false });
      this.#hand(message);
    }
    if (!complete) this.#giveBack(late);
    this.#changed();
    return complete ? 0 : late.length;
  }

  #hand({ id, type, text, images }) {
    const sent = images.map(({ mime_type, data }) => ({ mime_type, data }));
    this.#send({ id, type, message: text, ...(sent.length ? { images: sent } : {}) });
  }

  #giveBack(messages, why = "") {
    for (const message of messages) this.#drop(message);
    if (messages.length) this.#back(messages.map(({ text }) => text).join("\n"), messages.flatMap(({ images }) => images), why);
  }

  #drop(message) {
    this.#messages = this.#messages.filter((each) => each !== message);
  }
}
