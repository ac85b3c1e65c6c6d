// The keys of pi's actions, which components look up by their names.

const APP = {
  "app.interrupt": "escape", "app.clear": "ctrl+c", "app.exit": "ctrl+d", "app.suspend": "ctrl+z",
  "app.thinking.cycle": "shift+tab", "app.model.cycleForward": "ctrl+p", "app.model.cycleBackward": "shift+ctrl+p",
  "app.model.select": "ctrl+l", "app.tools.expand": "ctrl+o", "app.thinking.toggle": "ctrl+t",
  "app.editor.external": "ctrl+g", "app.message.followUp": "alt+enter", "app.message.dequeue": "alt+up",
  "app.clipboard.pasteImage": "ctrl+v",
};

/** @param {any} piTui pi-tui @returns {any} its manager of keys, with pi's own too */
export function createKeybindings(piTui) {
  const own = Object.fromEntries(Object.entries(APP).map(([name, key]) => [name, { defaultKeys: key, description: name }]));
  const manager = new piTui.KeybindingsManager({ ...piTui.TUI_KEYBINDINGS, ...own });
  piTui.setKeybindings(manager);
  return manager;
}
