// Dialogs of `ctx.ui`. Where nobody can be asked they have the answer of a dialog that was closed.

/** @param {import("../api/bridge.mjs").Bridge} bridge */
export function dialogs(bridge) {
  const ask = async (method, params, options, otherwise) => {
    const timed = options?.timeout > 0 ? { timeout_ms: Math.ceil(options.timeout) } : {};
    try {
      const answer = await bridge.wire.call(method, { ...params, ...timed }, { signal: options?.signal });
      return answer.closed ? otherwise : answer.value;
    } catch (error) {
      if (error.code === "unavailable" || error.code === "cancelled") return otherwise;
      throw error;
    }
  };
  /** A title may have several lines in pi. */
  const titled = (title, message) => {
    const [first, ...more] = String(title).split("\n");
    const text = [...more, message ?? ""].filter((each) => each !== "").join("\n");
    return { title: first || " ", ...(text ? { message: text } : {}) };
  };
  return {
    select: (title, options, more) => ask("ui.select", { ...titled(title), options: options.map(String) }, more, undefined),
    confirm: (title, message, more) => ask("ui.confirm", titled(title, message), more, false),
    input: (title, placeholder, more) => ask("ui.input", { ...titled(title), placeholder }, more, undefined),
    editor: (title, prefill, more) => ask("ui.editor", { ...titled(title), prefill }, more, undefined),
  };
}

const KINDS = { string: "text", text: "text", number: "number", integer: "integer", boolean: "boolean", select: "select" };

/** Atomic's dialogs of the host. They are not there where nobody can be asked.
 * @param {import("../api/bridge.mjs").Bridge} bridge */
export function hostDialogs(bridge) {
  if (!bridge.hasUI) return {};
  return {
    hostInputForm: async ({ title, heading, fields }) => {
      const shown = fields.map(({ name, type, required, choices, description, placeholder, initialValue }) => ({
        name, kind: KINDS[type] ?? "text", required: required === true, description: description ?? placeholder ?? "",
        ...(initialValue ? { initial: initialValue } : {}), ...(choices ? { choices } : {}),
      }));
      const answer = await bridge.wire.call("ui.form", { title, ...(heading ? { message: heading } : {}), fields: shown });
      if (answer.closed) return undefined;
      return Object.fromEntries(fields.map(({ name }) => [name, String(answer.value[name] ?? "")]));
    },
    hostSessionPicker: (request) => picker(bridge, request),
  };
}

/** A picker whose rows can change: zot is asked again with the new ones. */
function picker(bridge, { sessions }) {
  let [rows, asked, open] = [sessions, null, true];
  const choose = async () => {
    while (open) {
      asked = new AbortController();
      const shown = rows.map(({ path, name, firstMessage, cwd, messageCount }) => (
        { id: path, label: name || firstMessage || path, detail: [cwd, `${messageCount} messages`].filter(Boolean).join(", ") }));
      const before = rows;
      try {
        const answer = await bridge.wire.call("ui.pick", { title: "Sessions", rows: shown }, { signal: asked.signal });
        return answer.closed ? undefined : answer.value[0];
      } catch (error) {
        if (error.code !== "cancelled") throw error;
        if (before === rows) return undefined;
      }
    }
    return undefined;
  };
  return {
    result: choose().finally(() => { open = false; }),
    update: (found) => { rows = found; asked?.abort(); },
    error: (message) => bridge.notify("error", message),
    close: () => { open = false; asked?.abort(); },
  };
}
