// The questions of extensions, as a form: the first answer of any client counts. All texts are those of the extension.

import { $, made } from "../dom.js";

function labelled(text, field, help = "") {
  const label = made("label", "", text);
  label.append(field);
  if (help) label.append(made("small", "quiet", help));
  return label;
}

function box(type, name, value, text, checked = false) {
  const field = made("input");
  Object.assign(field, { type, name, value, checked });
  const label = made("label", "choice");
  label.append(field, made("span", "", text));
  return label;
}

function line(value = "", type = "text", placeholder = "") {
  const field = made("input");
  Object.assign(field, { type, value, placeholder, autocomplete: "off" });
  return field;
}

function list(choices, value) {
  const field = made("select");
  field.append(...choices.map((each) => new Option(each, each, false, each === value)));
  return field;
}

function area(value) {
  const field = made("textarea");
  Object.assign(field, { rows: 8, value });
  return field;
}

// The element for a field of a form, and its value.
function input({ kind, initial, required, choices }) {
  if (kind === "select") {
    return list(required ? choices : ["", ...choices], initial);
  }
  const field = line(initial, { boolean: "checkbox", integer: "number", number: "number" }[kind] ?? "text");
  if (kind === "boolean") field.checked = ["true", "yes"].includes(initial.toLowerCase());
  else field.required = required;
  if (kind === "number") field.step = "any";
  return field;
}

function valueOf({ kind }, field) {
  if (kind === "boolean") return field.checked;
  return field.value !== "" && (kind === "integer" || kind === "number") ? field.valueAsNumber : field.value;
}

// For each kind of question: its fields, and a function that reads the answer from them.
const KINDS = {
  confirm: () => [[], () => true],
  select: ({ options }) => {
    const all = options.map((each, at) => box("radio", "option", String(at), each, at === 0));
    return [all, (form) => options[Number(form.elements.option.value)]];
  },
  input: ({ title, prefill, placeholder, secret }) => {
    const field = line(prefill ?? "", secret ? "password" : "text", placeholder ?? "");
    field.setAttribute("aria-label", title);
    return [[field], () => field.value];
  },
  editor: ({ title, prefill }) => {
    const field = area(prefill ?? "");
    field.setAttribute("aria-label", title);
    return [[field], () => field.value];
  },
  form: ({ fields }) => {
    const all = fields.map((each) => {
      const field = input(each);
      return { each, field, label: labelled(each.name, field, each.description) };
    });
    return [
      all.map(({ label }) => label),
      () => Object.fromEntries(all.map(({ each, field }) => [each.name, valueOf(each, field)]).filter(([, value]) => value !== "")),
    ];
  },
  pick: ({ rows, multi }) => {
    const text = ({ label, detail }) => (detail ? `${label} – ${detail}` : label);
    const all = rows.map((row, at) => box(multi ? "checkbox" : "radio", "row", row.id, text(row), !multi && at === 0));
    return [all, (form) => [...form.querySelectorAll("[name=row]:checked")].map((each) => each.value)];
  },
};

export class Dialog {
  #session = null;
  #waiting = []; // the first one is shown
  #read = () => null;

  constructor() {
    $("dialog").addEventListener("submit", (event) => {
      event.preventDefault();
      const [open] = this.#waiting;
      if (!open) return;
      const given = event.submitter?.value === "close" ? { closed: true } : { value: this.#answer(event.submitter) };
      this.#session.send({ type: "ext_ui_response", request: open.request, ...given });
      this.resolved(open.request);
      $("message").focus();
    });
  }

  // The questions of this session.
  of(session) {
    this.#session = session;
    return this;
  }

  // Show these questions, one after the other, in place of all others.
  show(requests) {
    const shown = this.#waiting[0]?.request;
    this.#waiting = [...requests];
    if (shown !== this.#waiting[0]?.request) this.#draw(); // else a person may have begun to answer
  }

  add(request) {
    this.#waiting.push(request);
    if (this.#waiting.length === 1) this.#draw();
  }

  // A question is over, also if another client has answered it.
  resolved(id) {
    const shown = this.#waiting[0]?.request;
    this.#waiting = this.#waiting.filter(({ request }) => request !== id);
    if (shown === id) this.#draw();
  }

  #answer(button) {
    return this.#waiting[0].method === "confirm" ? button?.value !== "no" : this.#read($("dialog"));
  }

  #draw() {
    const [open] = this.#waiting;
    $("dialog").hidden = !open;
    if (!open) return;
    const [fields, read] = KINDS[open.method](open);
    this.#read = read;
    $("dialog-title").textContent = `${open.extension}: ${open.title}`;
    $("dialog-message").textContent = open.message ?? "";
    $("dialog-fields").replaceChildren(...fields);
    const confirm = open.method === "confirm";
    $("dialog-no").hidden = !confirm;
    $("dialog-ok").textContent = confirm ? "Yes" : "OK";
  }
}
