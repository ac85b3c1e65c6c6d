// Finds the colours of code, away from the page. The answer has pairs of a scope, such as `keyword`, and a text.

import highlight from "../vendor/highlight.min.js";

function flat(node, scope, parts) {
  for (const child of node.children) {
    if (typeof child === "string") parts.push([scope, child]);
    else flat(child, child.scope?.split(".")[0] ?? scope, parts);
  }
  return parts;
}

onmessage = ({ data: { id, language, text } }) => {
  let parts = null;
  if (highlight.getLanguage(language)) {
    parts = flat(highlight.highlight(text, { language, ignoreIllegals: true })._emitter.root, "", []);
  }
  postMessage({ id, parts });
};
