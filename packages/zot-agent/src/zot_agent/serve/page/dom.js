// Elements. Text of models, tools and extensions becomes text nodes: no module of this page makes markup of strings.

export const $ = (id) => document.getElementById(id);

export function made(kind, name = "", text = "") {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

export function button(text, pressed, name = "") {
  const element = made("button", name, text);
  element.type = "button";
  element.addEventListener("click", pressed);
  return element;
}

// A link that opens in another tab; only text unless it leads to the web or to mail.
export function linked(address, text = address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return made("span", "", text);
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return made("span", "", text);
  const link = made("a", "", text);
  link.href = url.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

// zot counts the characters of a text, JavaScript its units of UTF-16.
export const characters = (text, at) => [...text.slice(0, at)].length;
export const units = (text, at) => [...text].slice(0, at).join("").length;
