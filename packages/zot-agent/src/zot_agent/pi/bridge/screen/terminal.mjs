// What components get as `tui`: the size of the screen, redraws, overlays.

import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/** The part of pi's `TUI` that components use. Each component that is shown has its own. */
export class ScreenHandle {
  #screen;
  children = [];
  hardwareCursor = false;

  /** @param {import("./screen.mjs").Screen} screen @param {() => void} redraw */
  constructor(screen, redraw) {
    this.#screen = screen;
    this.redraw = redraw;
    this.terminal = {
      get columns() { return screen.columns; },
      get rows() { return screen.rows; },
      kittyProtocolActive: false,
      write: () => {}, hideCursor: () => {}, showCursor: () => {}, clearScreen: () => {}, setTitle: (text) => screen.ui.setTitle(text),
    };
  }

  requestRender() { this.redraw(); }
  invalidate() { this.redraw(); }
  addChild(component) { this.children.push(component); }
  removeChild(component) { this.children = this.children.filter((each) => each !== component); }
  clear() { this.children = []; }
  setFocus() {}
  addInputListener() { return () => {}; }
  removeInputListener() {}
  setShowHardwareCursor() {}
  getShowHardwareCursor() { return true; }
  queryCellSize() {}
  get fullRedraws() { return 0; }

  showOverlay(component, options) { return this.#screen.panels.overlay(component, options); }
  hideOverlay() { this.#screen.panels.hideNewest(); }
  hasOverlay() { return this.#screen.panels.hasOverlay(); }

  /** From now on a program that is started with the terminal gets zot's. */
  stop() { lendTerminal(this.#screen.bridge); }
  start() { takeTerminalBack(); }
}

const own = { spawnSync: childProcess.spawnSync };

/** `spawnSync` with inherited streams means the terminal, which zot has: it runs the program in the foreground. */
function lendTerminal(bridge) {
  childProcess.spawnSync = (command, given, more) => {
    const [args, options] = Array.isArray(given) ? [given, more ?? {}] : [[], given ?? {}];
    if (options.stdio !== "inherit") return own.spawnSync(command, args, options);
    const shell = options.shell ? [typeof options.shell === "string" ? options.shell : "/bin/sh", "-c", [command, ...args].join(" ")] : [command, ...args];
    try {
      const { code } = bridge.wire.callNow("exec.run", { argv: shell, foreground: true, cwd: options.cwd }, { waits: true });
      return { status: code, signal: null, output: [], stdout: null, stderr: null, pid: 0 };
    } catch (error) {
      return { status: null, signal: null, error, output: [], stdout: null, stderr: null, pid: 0 };
    }
  };
  syncBuiltinESMExports();
}

function takeTerminalBack() {
  childProcess.spawnSync = own.spawnSync;
  syncBuiltinESMExports();
}
