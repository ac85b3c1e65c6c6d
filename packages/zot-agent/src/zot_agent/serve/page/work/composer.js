// The message field.

import { $ } from "../dom.js";

export class Composer {
  #say;
  #commands;
  #session = null;

  // `commands` runs the slash commands of the page.
  constructor(say, commands) {
    this.#say = say;
    this.#commands = commands;
    $("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    $("message").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.defaultPrevented) {
        event.preventDefault();
        $("composer").requestSubmit();
      }
    });
  }

  opened(session) { this.#session = session; }

  closed() { this.#session = null; }

  take(event) {
    if (event.type === "ext_insert") $("message").setRangeText(event.text, $("message").selectionStart, $("message").selectionEnd, "end");
  }

  #send() {
    const message = $("message").value;
    if (!message.trim() || !this.#session?.ready) return;
    $("message").value = "";
    if (this.#commands.run(message)) return;
    this.#session.waiting.say(message, this.#session.busy);
  }

  // Put text that zot will not read into the field again.
  giveBack(text, why) {
    $("message").value = [text, $("message").value].filter((each) => each.trim()).join("\n");
    if (why) this.#say(why, true);
  }
}
