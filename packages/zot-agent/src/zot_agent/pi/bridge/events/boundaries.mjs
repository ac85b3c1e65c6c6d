// The ends of turns and runs, `turn_end` and `agent_before_settle`: handlers add entries to the session, and may have the
// model called once more.

import { createContext } from "../api/context.mjs";
import { NO_DATA } from "../api/sessions.mjs";
import { textOf } from "./messages.mjs";

/** What the model reads if it is called once more without another message. */
const GO_ON = "Continue.";

/** @param {import("../api/bridge.mjs").Bridge} bridge @param {object} about the members of the event
 * @param {string} outcome `completed`, `aborted` or `error` @returns {any} the event, before its first handler */
export function boundary(bridge, about, outcome) {
  const context = {
    contextEntries: [], pendingMessages: [], canContinue: true,
    get contextMessages() { return bridge.sessions.buildSessionContext().messages; },
    get llmMessages() { return this.contextMessages; },
  };
  return { ...about, entries: [], continue: false, context, outcome };
}

/** Calls handlers one after the other; each sees what those before it want.
 * @param {import("../api/bridge.mjs").Bridge} bridge @param {[any, Function][]} handlers with their extensions
 * @param {any} event of `boundary` @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<{entries: any[], continue: boolean}>} */
export async function ask(bridge, handlers, event, options) {
  const wanted = { entries: event.entries, continue: event.continue };
  for (const [extension, handler] of handlers) {
    try {
      const answer = await handler(Object.assign(event, wanted), createContext(bridge, extension, options));
      wanted.entries = answer?.entries ?? wanted.entries;
      wanted.continue = answer?.continue ?? wanted.continue;
    } catch (error) {
      bridge.report(extension, event.type, error);
    }
  }
  return wanted;
}

/** Stores entries that the model does not read, and returns the messages among the others.
 * @param {import("../api/bridge.mjs").Bridge} bridge @param {any[]} entries */
export function stored(bridge, entries) {
  for (const { type, customType, data, summary } of entries) {
    if (type === "custom") bridge.wire.callNow("session.append", { custom_type: customType, data: data ?? NO_DATA });
    else if (type === "compaction") bridge.wire.call("control.compact", { instructions: summary, wait: true }, { parent: false }).catch(() => {});
    else if (type !== "custom_message") bridge.notify("warn", `an entry of the kind ${type} cannot be added at the end of a turn`);
  }
  if (entries.length) bridge.sessions.forget();
  return entries.filter((each) => each.type === "custom_message");
}

/** Does what the handlers of `turn_end` want. @param {import("../api/bridge.mjs").Bridge} bridge
 * @param {{entries: any[], continue: boolean}} wanted @param {boolean} goesOn whether the run goes on in any case */
export async function afterTurn(bridge, wanted, goesOn) {
  const messages = stored(bridge, wanted.entries);
  if (wanted.continue && messages.length === 0 && !goesOn) messages.push({ content: GO_ON, display: false });
  const delivery = wanted.continue ? { deliver_as: "steer", trigger: true } : { deliver_as: goesOn ? "steer" : "next_turn" };
  for (const { customType, content, display, details } of messages) {
    await bridge.wire.call("messages.send", {
      text: textOf(content) || " ", custom_type: customType, details, ...delivery, ...(display === false ? { hidden: true } : {}),
    }, { parent: false });
  }
}

/** @param {import("../api/bridge.mjs").Bridge} bridge @param {{entries: any[], continue: boolean}} wanted
 * @returns {object} the answer to zot: the run goes on with the messages, or ends */
export function beforeEnd(bridge, wanted) {
  const text = stored(bridge, wanted.entries).map(({ content }) => textOf(content)).join("\n\n");
  return wanted.continue ? { block: true, reason: text || GO_ON } : {};
}
