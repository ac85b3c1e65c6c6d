// The message field.

import { $ } from "../dom.js";
import { Pictures } from "./pictures.js";

export class Composer {
  #say;
  #commands;
  #session = null;
  #pictures;

  // `commands` runs the slash commands of the page.
  constructor(say, commands) {
    this.#say = say;
    this.#commands = commands;
    this.#pictures = new Pictures(say);
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

  closed() {
    this.#session = null;
    this.#pictures.closed();
  }

  take(event) {
    if (event.type === "ext_insert") $("message").setRangeText(event.text, $("message").selectionStart, $("message").selectionEnd, "end");
  }

  #send() {
    const message = $("message").value;
    if (!this.#session?.ready) return;
    const pictures = this.#pictures.take();
    if (!message.trim() && !pictures.length) return;
    $("message").value = "";
    if (!pictures.length && this.#commands.run(message)) return;
    this.#session.waiting.say(message, this.#session.busy, pictures);
  }

  // Put what zot will not read into the field again.
  giveBack(text, pictures = [], why = "") {
    this.#pictures.put([...pictures, ...this.#pictures.take()]);
    $("message").value = [text, $("message").value].filter((each) => each.trim()).join("\n");
    if (why) this.#say(why, true);
  }
}
