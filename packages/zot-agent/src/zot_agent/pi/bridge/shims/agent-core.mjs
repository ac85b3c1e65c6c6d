// `pi-agent-core`: extensions import types of it. What they could call is an agent in their own process.

const none = (name) => class {
  constructor() {
    throw new Error(`${name} is not there outside of pi: it is an agent in the process of the extension`);
  }
};

export const Agent = none("Agent");
export const ProxyTransport = none("ProxyTransport");
