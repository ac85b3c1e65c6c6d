// `@bastani/atomic`: what extensions call of it is as in pi, and its own files are elsewhere.

import os from "node:os";
import path from "node:path";

export * from "./coding-agent.mjs";
export const CONFIG_DIR_NAME = ".atomic";
export const APP_NAME = "atomic";

/** @returns {string} the folder of Atomic's own files */
export function getAgentDir() {
  const given = process.env.ATOMIC_CODING_AGENT_DIR;
  return given ? given.replace(/^~(?=\/|$)/, os.homedir()) : path.join(os.homedir(), ".atomic", "agent");
}
