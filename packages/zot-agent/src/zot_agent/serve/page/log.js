// The log of a conversation as elements. Text of models and tools becomes text nodes, never markup.

const log = document.getElementById("log");

export function made(kind, name = "", text = "") {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

export function follow(always = false) {
  if (always || log.scrollHeight - log.scrollTop - log.clientHeight < 160) {
    requestAnimationFrame(() => { log.scrollTop = log.scrollHeight; });
  }
}

export function put(element) {
  log.append(element);
  follow();
  return element;
}

export const note = (text, name = "") => put(made("p", `notice ${name}`.trim(), text));

export function spoken(who, name, text) {
  const part = made("article", name);
  const body = made("div", "text");
  body.append(document.createTextNode(text));
  part.append(made("h3", "", who), body);
  put(part);
  return body.firstChild;
}

export function folded(name, title) {
  const part = made("details", name);
  const body = made("pre");
  body.append(document.createTextNode(""));
  part.append(made("summary", "", title), body);
  put(part);
  return part;
}

export const output = (part) => part.lastChild.firstChild;

export const textOf = (content) => content.map((each) => {
  if (each.type === "image") return `[${each.mime_type}, ${each.bytes} bytes]`;
  return each.type === "text" ? each.text : "";
}).join("");
