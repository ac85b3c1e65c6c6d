// `addAutocompleteProvider`: suggestions for words that begin with one of a few signs.

/** Signs with which words begin that zot leaves to extensions. */
const TRIGGERS = ["#", "$", ":", "^", "~", "&", "%", "+", "="];
const registered = new WeakSet();

/** What the stack of providers stands on: zot suggests commands and files itself. */
const NOTHING = {
  getSuggestions: async () => null,
  applyCompletion: (lines, row, column, item, prefix) => {
    const line = lines[row];
    const before = line.slice(0, column - prefix.length) + item.value;
    const changed = [...lines];
    changed[row] = before + line.slice(column);
    return { lines: changed, cursorLine: row, cursorCol: before.length };
  },
  shouldTriggerFileCompletion: () => false,
};

/** @param {import("../api/bridge.mjs").Bridge} bridge */
export function registerCompletions(bridge) {
  if (registered.has(bridge) || !bridge.hasScreen) return;
  registered.add(bridge);
  for (const trigger of TRIGGERS) bridge.wire.call("completions.register", { trigger }, { parent: false }).catch(() => {});
}

/** @param {Function[]} factories @param {{line: string, prefix: string, trigger: string}} frame */
export async function suggest(factories, { line, prefix, trigger }) {
  const provider = factories.reduce((current, factory) => factory(current) ?? current, NOTHING);
  const found = await provider.getSuggestions([line], 0, line.length, { signal: new AbortController().signal, force: false });
  const word = line.length - prefix.length - trigger.length;
  return (found?.items ?? []).slice(0, 50).map((item) => {
    const applied = provider.applyCompletion([line], 0, line.length, item, found.prefix ?? trigger + prefix);
    const text = applied.lines[0].slice(word, applied.cursorCol).trimEnd();
    return { text, label: item.label ?? text, description: item.description };
  });
}
