// Pure functions of pi about messages and their size.

import { textOf } from "../events/messages.mjs";

/** Makes messages that a model reads of all kinds of messages. @param {any[]} messages */
export function convertToLlm(messages) {
  return messages.map((message) => {
    const content = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: message.timestamp });
    switch (message.role) {
      case "user": case "assistant": case "toolResult":
        return message;
      case "custom":
        return { role: "user", content: typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content, timestamp: message.timestamp };
      case "compactionSummary": case "branchSummary":
        return content(message.summary);
      case "bashExecution":
        return message.excludeFromContext ? null : content(`Ran \`${message.command}\`\n\`\`\`\n${message.output}\n\`\`\``);
    }
    return null;
  }).filter(Boolean);
}

/** Writes a conversation as text. @param {any[]} messages */
export function serializeConversation(messages) {
  const parts = [];
  for (const message of messages) {
    if (message.role === "user") parts.push(`[User]: ${textOf(message.content)}`);
    else if (message.role === "toolResult") parts.push(`[Tool result]: ${textOf(message.content).slice(0, 2000)}`);
    else if (message.role === "assistant") parts.push(...answerParts(message));
  }
  return parts.filter((each) => !each.endsWith("]: ")).join("\n\n");
}

function answerParts(message) {
  const thinking = message.content.filter((each) => each.type === "thinking").map((each) => each.thinking).join("\n");
  const calls = message.content.filter((each) => each.type === "toolCall").map((each) => {
    const args = Object.entries(each.arguments ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(", ");
    return `${each.name}(${args})`;
  });
  return [`[Assistant thinking]: ${thinking}`, `[Assistant]: ${textOf(message.content)}`, `[Assistant tool calls]: ${calls.join("; ")}`];
}

export const calculateContextTokens = (usage) => usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
export const estimateTokens = (message) => Math.ceil((textOf(message.content ?? message.summary ?? "").length || JSON.stringify(message).length) / 4);
export const DEFAULT_COMPACTION_SETTINGS = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };
export const shouldCompact = (tokens, window, settings) => settings.enabled && tokens > window - settings.reserveTokens;

/** @param {any[]} entries @returns {any} the usage of the last answer */
export function getLastAssistantUsage(entries) {
  return entries.findLast((each) => each.type === "message" && each.message.role === "assistant")?.message.usage;
}

/** @param {any[]} entries @returns {any} */
export function getLatestCompactionEntry(entries) {
  return entries.findLast((each) => each.type === "compaction") ?? null;
}

/** @param {string} text a session file of pi @returns {any[]} */
export function parseSessionEntries(text) {
  return text.split("\n").filter(Boolean).flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
