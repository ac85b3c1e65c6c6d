// The parts of `pi-coding-agent` with which an extension makes agents of its own. They are loaded for extensions that name one.

export * from "../agents/create.mjs";
export * from "../agents/manager.mjs";
export * from "../agents/resources.mjs";
export { AgentSession } from "../agents/session.mjs";
