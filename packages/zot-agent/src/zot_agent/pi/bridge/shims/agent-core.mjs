// `pi-agent-core`: an agent in this process, whose model calls zot makes.

export { Agent } from "../agents/agent.mjs";
export * from "../agents/loop.mjs";

/** An agent elsewhere, which only a server of pi offers. */
export class ProxyTransport {
  constructor() {
    throw new Error("ProxyTransport is not there outside of pi: it is a server of pi");
  }
}
