// The window over the page: a title, and what a part of the page puts into it. Escape closes it.

import { $, made } from "../dom.js";

$("window-close").addEventListener("click", () => $("window").close());

export function show(title, ...nodes) {
  $("window-title").textContent = title;
  $("window-body").replaceChildren(...nodes);
  if (!$("window").open) $("window").showModal();
}

export const hide = () => $("window").close();

// Let a person choose one of `rows` (`id`, `label`, `detail`, `group`). Calls `chosen` with the id.
export function choose(title, rows, current, chosen) {
  const field = made("input");
  field.type = "search";
  field.autocomplete = "off";
  field.setAttribute("aria-label", `Search: ${title}`);
  const list = made("ul", "choices");
  const draw = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = rows.filter(({ id, label, detail = "" }) => words.every((word) => `${id} ${label} ${detail}`.toLowerCase().includes(word)));
    list.replaceChildren(...fits.slice(0, 200).map((row) => {
      const item = made("li");
      const button = made("button");
      button.type = "button";
      button.setAttribute("aria-current", String(row.id === current));
      button.append(made("span", "name", row.label), made("span", "where quiet", row.detail ?? ""));
      button.addEventListener("click", () => { hide(); chosen(row.id); });
      item.append(button);
      return item;
    }));
  };
  field.addEventListener("input", draw);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); list.querySelector("button")?.click(); }
    if (event.key === "ArrowDown") { event.preventDefault(); list.querySelector("button")?.focus(); }
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")];
    (buttons[buttons.indexOf(document.activeElement) + step] ?? field).focus();
  });
  draw();
  show(title, field, list);
  field.focus();
}
