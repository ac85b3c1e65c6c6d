// The log of a conversation: its end stays in sight while a person reads there.

import { $, made } from "../dom.js";

const NEAR = 160; // pixels from the end that still count as its end
const log = $("log");
let planned = false;
let atEnd = true;

let before = 0; // the place before the last scrolling

// Only a person scrolls up. What grows moves the end away, which is no wish to stay where one is.
log.addEventListener("scroll", () => {
  const near = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  if (near || log.scrollTop < before) atEnd = near;
  before = log.scrollTop;
  if (!atEnd) reading = firstInView();
}, { passive: true });

// What is at the top of the view, how far below it, and how high.
let reading = null;

function firstInView() {
  const box = log.getBoundingClientRect();
  for (let y = 4; y < box.height / 2; y += 16) {
    const found = document.elementFromPoint(box.left + box.width / 2, box.top + y);
    if (found !== log && log.contains(found)) {
      const { top, height } = found.getBoundingClientRect();
      return { found, below: top - box.top, height };
    }
  }
  return null;
}

// Put it back there: of what is partly above the view, the same share.
function readOn() {
  if (!reading?.found.isConnected) return;
  const { top, height } = reading.found.getBoundingClientRect();
  const below = reading.below < 0 ? reading.below * height / reading.height : reading.below;
  log.scrollTop += top - log.getBoundingClientRect().top - below;
}

export function follow(always = false) {
  atEnd ||= always;
  if (!atEnd || planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    if (atEnd) log.scrollTop = log.scrollHeight;
  });
}

// A page that becomes narrower or lower moves the end away too, and what is read. It is put back at once, before what
// that scrolls is told.
new ResizeObserver(() => { if (atEnd) log.scrollTop = log.scrollHeight; else readOn(); }).observe(log);

// What grows after it was put: pictures, code that gets its colours, cells that are opened.
const growing = new ResizeObserver(() => follow());

export const grows = (element) => growing.observe(element);

export function put(element) {
  log.append(element);
  grows(element);
  follow();
  return element;
}

export function empty() {
  growing.disconnect();
  log.replaceChildren();
}

export const note = (text, name = "") => put(made("p", `notice ${name}`.trim(), text));

export const textOf = (content) => content.map((each) => (each.type === "text" ? each.text : "")).join("");
