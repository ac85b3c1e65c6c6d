// The window over the page: a title, and what a part of the page puts into it. Escape closes it.

import { $, made } from "../dom.js";

$("window-close").addEventListener("click", () => $("window").close());

export function show(title, ...nodes) {
  $("window-title").textContent = title;
  $("window-body").replaceChildren(...nodes);
  if (!$("window").open) $("window").showModal();
}

export const hide = () => $("window").close();

const MOST = 200; // rows that are shown

// Let a person choose one of the rows (`id`, `label`, `detail`) that `load` promises. Calls `chosen` with the id.
export async function choose(title, load, current, chosen) {
  let rows = null; // until they are there
  const field = made("input");
  field.type = "search";
  field.autocomplete = "off";
  field.setAttribute("aria-label", `Search: ${title}`);
  const list = made("ul", "choices");
  const about = made("p", "quiet", "One moment…");
  about.setAttribute("role", "status");
  const draw = () => {
    if (!rows) return;
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = rows.filter(({ id, label, detail = "" }) => words.every((word) => `${id} ${label} ${detail}`.toLowerCase().includes(word)));
    list.replaceChildren(...fits.slice(0, MOST).map((row) => {
      const item = made("li");
      const button = made("button");
      button.type = "button";
      button.setAttribute("aria-current", String(row.id === current));
      button.append(made("span", "name", row.label), made("span", "where quiet", row.detail ?? ""));
      button.addEventListener("click", () => { hide(); chosen(row.id); });
      item.append(button);
      return item;
    }));
    about.textContent = fits.length > MOST ? `${fits.length - MOST} more; type some of its name` : fits.length ? "" : "Nothing found.";
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
  show(title, field, list, about);
  field.focus();
  try {
    rows = await load();
    draw();
    list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "center" });
  } catch (error) {
    about.textContent = error.message;
  }
}
