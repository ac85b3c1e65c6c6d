// The tool bash with operations of an extension: another machine, a sandbox, a changed command.

import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateTail } from "./truncate.mjs";

const UPDATE_MILLISECONDS = 100;

/** @param {{shellPath?: string}} [options] @returns {{exec: Function}} */
export function createLocalBashOperations(options = {}) {
  const shell = options.shellPath ?? (fs.existsSync("/bin/bash") ? "/bin/bash" : "sh");
  return {
    exec: (command, cwd, { onData, signal, timeout, env }) => new Promise((resolve, reject) => {
      if (!fs.existsSync(cwd)) return reject(new Error(`Working directory does not exist: ${cwd}`));
      const child = spawn(shell, ["-c", command], { cwd, detached: true, env: env ?? process.env, stdio: ["ignore", "pipe", "pipe"] });
      let timedOut = false;
      const kill = () => {
        try {
          process.kill(-child.pid, "SIGKILL");
        } catch { /* it has ended */ }
      };
      const timer = timeout > 0 ? setTimeout(() => { timedOut = true; kill(); }, timeout * 1000) : null;
      child.stdout.on("data", onData);
      child.stderr.on("data", onData);
      if (signal?.aborted) kill();
      else signal?.addEventListener("abort", kill, { once: true });
      const end = () => { clearTimeout(timer); signal?.removeEventListener("abort", kill); };
      child.on("error", (error) => { end(); reject(error); });
      child.on("close", (exitCode) => {
        end();
        if (signal?.aborted) reject(new Error("aborted"));
        else if (timedOut) reject(new Error(`timeout:${timeout}`));
        else resolve({ exitCode });
      });
      return undefined;
    }),
  };
}

/** @param {string} cwd @param {any} options @returns {Function} `execute` of the tool */
export function createBash(cwd, options) {
  const operations = options.operations ?? createLocalBashOperations(options);
  return async (_, { command, timeout }, signal, onUpdate) => {
    const prefixed = options.commandPrefix ? `${options.commandPrefix}\n${command}` : command;
    const plain = { command: prefixed, cwd, env: { ...process.env } };
    const chosen = options.spawnHook ? options.spawnHook(plain) : plain;
    const chunks = [];
    let shown = 0;
    const output = () => Buffer.concat(chunks).toString("utf8");
    const onData = (data) => {
      chunks.push(Buffer.from(data));
      if (!onUpdate || performance.now() - shown < UPDATE_MILLISECONDS) return;
      shown = performance.now();
      onUpdate({ content: [{ type: "text", text: truncateTail(output()).content }], details: undefined });
    };
    let exitCode;
    try {
      ({ exitCode } = await operations.exec(chosen.command, chosen.cwd, { onData, signal, timeout, env: chosen.env }));
    } catch (error) {
      const why = error.message === "aborted" ? "Command aborted"
        : error.message.startsWith("timeout:") ? `Command timed out after ${error.message.slice(8)} seconds` : error.message;
      throw new Error([output(), why].filter(Boolean).join("\n\n"), { cause: error });
    }
    const { text, details } = cut(output());
    if (exitCode !== 0 && exitCode !== null) throw new Error(`${text}\n\nCommand exited with code ${exitCode}`);
    return { content: [{ type: "text", text: text || "(no output)" }], details };
  };
}

/** Keeps the end of a long output, and all of it in a file. */
function cut(whole) {
  const truncation = truncateTail(whole);
  if (!truncation.truncated) return { text: whole, details: undefined };
  const fullOutputPath = path.join(os.tmpdir(), `pi-bash-${process.pid}-${Date.now()}.log`);
  fs.writeFileSync(fullOutputPath, whole);
  const limit = truncation.truncatedBy === "lines" ? `${DEFAULT_MAX_LINES} lines` : formatSize(DEFAULT_MAX_BYTES);
  const text = `${truncation.content}\n\n[The last ${limit} of ${truncation.totalLines} lines. Full output: ${fullOutputPath}]`;
  return { text, details: { truncation, fullOutputPath } };
}
