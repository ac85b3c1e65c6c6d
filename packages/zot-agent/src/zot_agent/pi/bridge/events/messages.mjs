// Messages: those of zot's wire to those that extensions expect, and back. Results of one batch of calls are one
// message of zot and several of an extension.

import { nameInPi } from "../api/names.mjs";
import { editDetails } from "../shims/diff.mjs";

const STOPS = { end: "stop", end_turn: "stop", tool_use: "toolUse", length: "length", error: "error", aborted: "aborted" };
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** @param {any} usage of zot @returns {object} */
export function usageOf(usage) {
  const { input = 0, output = 0, cache_read: cacheRead = 0, cache_write: cacheWrite = 0 } = usage ?? {};
  const cost = { ...NO_COST, total: usage?.cost_usd ?? 0 };
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite, cost };
}

/** @param {any} text JSON, or an object @returns {object} */
export function argumentsOf(text) {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text || "{}");
  } catch {
    return { _raw: text };
  }
}

/** @param {any} block text or image of zot */
function plain(block) {
  if (block.type === "image") return { type: "image", mimeType: block.mime_type, data: block.data ?? "" };
  return { type: "text", text: block.text ?? "" };
}

/** @param {any[]} blocks @returns {any[]} text and images for an extension */
export function contentOf(blocks) {
  return (blocks ?? []).filter((each) => each.type === "text" || each.type === "image").map(plain);
}

function answerBlock(block) {
  if (block.type === "tool_call") {
    return { type: "toolCall", id: block.id, name: block.name, arguments: argumentsOf(block.args ?? block.arguments) };
  }
  if (block.type === "reasoning") return { type: "thinking", thinking: block.summary ?? block.text ?? "" };
  return plain(block);
}

/** The original of each message that was made here, for the way back. */
const originals = new WeakMap();

/** Converts a message of zot.
 * @param {any} message `role`, `content`, `time`, and for answers `meta`
 * @param {(id: string) => string} toolName the name of the tool of a call @returns {any[]} */
export function toMessages(message, toolName = () => "") {
  const timestamp = Date.parse(message.time) || Date.now();
  const meta = message.meta ?? message;
  if (message.role === "tool") {
    return message.content.map((block, part) => {
      const made = {
        role: "toolResult", toolCallId: block.call_id, toolName: toolName(block.call_id),
        content: contentOf(block.content), details: detailsOf(block.details, block.content), isError: block.is_error === true, timestamp,
      };
      originals.set(made, { message, part, text: JSON.stringify(made) });
      return made;
    });
  }
  let made;
  if (message.role === "assistant") {
    made = {
      role: "assistant", content: message.content.map(answerBlock), api: meta.api ?? "", provider: nameInPi(meta.provider ?? ""),
      model: meta.model ?? "", usage: usageOf(meta.usage), stopReason: STOPS[meta.stop] ?? "stop", timestamp,
    };
    if (made.content.some((each) => each.type === "toolCall")) made.stopReason = "toolUse";
  } else if (meta.custom_type) {
    made = {
      role: "custom", customType: meta.custom_type, content: contentOf(message.content),
      display: !(message.hidden ?? meta.hidden), details: read(meta.details), timestamp,
    };
  } else {
    made = { role: "user", content: contentOf(message.content), timestamp };
  }
  originals.set(made, { message, part: 0, text: JSON.stringify(made) });
  return [made];
}

/** @param {any} details of a message; its row in the session has them as text */
function read(details) {
  if (typeof details !== "string") return details;
  try {
    return JSON.parse(details);
  } catch {
    return details || undefined;
  }
}

/** @param {any} details with the name of the extension and what was not an object; those of zot's own tools get the
 * members that pi's have @param {any[]} content of the result */
export function detailsOf(details, content) {
  if (details === undefined || details === null) return undefined;
  const { extension, ...own } = details;
  if (extension === undefined) return ofZot(own, content);
  return "value" in own && Object.keys(own).length === 1 ? own.value : own;
}

/** What an edit has changed, and that a text was cut. */
function ofZot(own, content) {
  const { lines_truncated: lines = 0, bytes_truncated: bytes = 0, full_output_path: fullOutputPath = "" } = own;
  const found = isEdit(own) ? editDetails(own) : own;
  if (own.truncated !== true && lines <= 0 && bytes <= 0) return found;
  const outputLines = textOf(content).split("\n").length;
  const totalLines = own.total_lines ?? outputLines + lines;
  const truncation = { truncated: true, truncatedBy: lines > 0 ? "lines" : "bytes", outputLines, totalLines };
  return { ...found, truncation, ...(fullOutputPath ? { fullOutputPath } : {}) };
}

const isEdit = (details) => typeof details?.diff === "string" && Array.isArray(details.starts);

/** @param {any} details @returns {object} */
export function objectOf(details) {
  const isObject = typeof details === "object" && details !== null && !Array.isArray(details);
  return isObject ? details : { value: details };
}

/** The way back: zot draws a stored edit by what its own tool has said. @param {any} details as an extension changes them
 * @param {any} before as zot sent them @returns {object} */
export function changedDetails(details, before) {
  return { ...objectOf(details), ...(isEdit(before) ? { path: before.path, diff: before.diff, starts: before.starts } : {}) };
}

/** @param {any} content text, or blocks of an extension @returns {any[]} blocks of zot */
export function blocksOf(content) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return blocks.map((block) => {
    if (block.type === "image") return { type: "image", mime_type: block.mimeType ?? "image/png", data: block.data };
    return { type: "text", text: String(block.text ?? "") };
  });
}

function fromAnswer(block) {
  if (block.type === "toolCall") {
    return { type: "tool_call", id: block.id, name: block.name, arguments: JSON.stringify(block.arguments ?? {}) };
  }
  return block.type === "text" ? { type: "text", text: block.text } : null;
}

/** Converts one message of an extension, other than a result.
 * @param {any} message @returns {{role: string, content: any[]}} */
export function fromMessage(message) {
  if (message.role === "assistant") {
    const { content } = message;
    const found = typeof content === "string" ? blocksOf(content) : (content ?? []).map(fromAnswer).filter(Boolean);
    return { role: "assistant", content: found.length ? found : blocksOf("") }; // a message has some content
  }
  if (message.role === "compactionSummary" || message.role === "branchSummary") {
    return { role: "user", content: blocksOf(message.summary) };
  }
  return { role: "user", content: blocksOf(message.content) };
}

function result(message) {
  return {
    type: "tool_result", call_id: message.toolCallId, is_error: message.isError === true,
    content: blocksOf(message.content),
  };
}

/** Converts messages back. What an extension did not change is the very message that zot sent.
 * @param {any[]} messages @returns {any[]} */
export function fromMessages(messages) {
  const found = [];
  for (let at = 0; at < messages.length; ) {
    const first = messages[at];
    const known = originals.get(first);
    if (first.role !== "toolResult") {
      found.push(known && JSON.stringify(first) === known.text ? known.message : fromMessage(first));
      at += 1;
      continue;
    }
    const batch = [];
    while (at < messages.length && messages[at].role === "toolResult") batch.push(messages[at++]);
    found.push(wholeBatch(batch) ?? { role: "tool", content: batch.map(result) });
  }
  return found;
}

/** @param {any[]} batch @returns {any} the message of zot that these results are, unchanged, or undefined */
function wholeBatch(batch) {
  const source = originals.get(batch[0])?.message;
  if (source === undefined || source.content.length !== batch.length) return undefined;
  const same = batch.every((each, index) => {
    const known = originals.get(each);
    return known !== undefined && known.message === source && known.part === index && JSON.stringify(each) === known.text;
  });
  return same ? source : undefined;
}

/** @param {any[]} blocks @returns {string} their text */
export function textOf(blocks) {
  if (typeof blocks === "string") return blocks;
  return (blocks ?? []).filter((each) => each.type === "text").map((each) => each.text).join("\n");
}

/** @param {string | undefined} text @returns {string} a title or a label for zot; pi limits neither length nor lines */
export function shortLine(text) {
  return [...(text ?? "").trim().replace(/[\s\x1c-\x1e\x85]+/g, " ")].slice(0, 200).join("");
}
