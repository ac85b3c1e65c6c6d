// Pictures for the next message: pasted, dropped, or chosen from files.

import { $, button, made } from "../dom.js";

const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MOST_BYTES = 3_750_000; // what a prompt of zot takes for each

export class Pictures {
  #say;
  #kept = []; // as the command `prompt` has them, with a name

  // `say` shows a line.
  constructor(say) {
    this.#say = say;
    const file = $("picture-file");
    file.accept = KINDS.join();
    $("add-picture").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      this.#read(file.files);
      file.value = "";
    });
    $("message").addEventListener("paste", (event) => {
      if (this.#read(event.clipboardData.files)) event.preventDefault();
    });
    $("composer").addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
    $("composer").addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return; // text is dropped into the field
      event.preventDefault();
      this.#read(event.dataTransfer.files);
    });
  }

  closed() { this.put([]); }

  // The pictures, which are no longer kept then.
  take() {
    const taken = this.#kept;
    this.put([]);
    return taken;
  }

  put(pictures) {
    this.#kept = pictures;
    $("pictures").hidden = !pictures.length;
    $("pictures").replaceChildren(...pictures.map((each) => {
      const [row, image] = [made("li"), made("img")];
      image.alt = each.name;
      image.src = `data:${each.mime_type};base64,${each.data}`;
      const remove = button("×", () => this.put(this.#kept.filter((other) => other !== each)));
      remove.setAttribute("aria-label", `Remove ${each.name}`);
      row.append(image, remove);
      return row;
    }));
  }

  // Keep the pictures among some files. Returns whether there are any.
  #read(files) {
    const pictures = [...files].filter(({ type }) => KINDS.includes(type));
    if (files.length > pictures.length) this.#say("Pictures are PNG, JPEG, GIF or WebP", true);
    for (const each of pictures) {
      if (each.size > MOST_BYTES) {
        this.#say(`${each.name} has more than ${MOST_BYTES / 1e6} MB`, true);
        continue;
      }
      const reader = new FileReader();
      reader.addEventListener("load", () => {
        const [, data] = reader.result.split(",");
        this.put([...this.#kept, { name: each.name || "picture", mime_type: each.type, data }]);
      });
      reader.readAsDataURL(each);
    }
    return pictures.length > 0;
  }
}
