// The questions of extensions, as a form. All texts are those of the extension.

import { $, made } from "../dom.js";
import { Questions } from "./questions.js";

function labelled(text, field, help = "") {
  const label = made("label", "", text);
  if (help) label.append(" ", made("small", "quiet", help));
  label.append(field);
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

export class Dialog extends Questions {
  #read = () => null;

  constructor() {
    super();
    $("dialog").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.open) return;
      const closed = event.submitter?.value === "close";
      this.answer({ type: "ext_ui_response", ...(closed ? { closed } : { value: this.#value(event.submitter) }) });
    });
  }

  draw(open) {
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

  #value(button) {
    return this.open.method === "confirm" ? button?.value !== "no" : this.#read($("dialog"));
  }
}
