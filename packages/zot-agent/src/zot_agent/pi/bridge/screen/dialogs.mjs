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
