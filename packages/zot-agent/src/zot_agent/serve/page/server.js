// Requests to the server over HTTP; `token` is the secret of the server.

export class Failed extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

export const server = {
  token: "",

  // Return the JSON response to a request. Throws `Failed`, with status 0 if there is no response.
  async ask(method, path, body) {
    const response = await this.request(method, path, body);
    return response.status === 204 ? null : response.json();
  },

  // Call `take` with each JSON line of the response, until its end or until `signal` is aborted. Throws like `ask`.
  async follow(method, path, body, take, signal) {
    const reader = (await this.request(method, path, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) take(JSON.parse(line));
      }
    } catch {
      if (!signal.aborted) throw new Failed(0, "zot serve does not answer");
    }
  },

  async request(method, path, body, signal) {
    let response;
    try {
      response = await fetch(path, {
        method,
        signal,
        headers: { authorization: `Bearer ${this.token}`, ...(body ? { "content-type": "application/json" } : {}) },
        body: body && JSON.stringify(body),
      });
    } catch {
      throw new Failed(0, "zot serve does not answer");
    }
    if (!response.ok) throw new Failed(response.status, (await response.json()).error);
    return response;
  },

  // Open the WebSocket of a path. A page cannot set headers: the token is a subprotocol.
  connect(path) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const token = btoa(this.token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return new WebSocket(`${scheme}://${location.host}${path}`, ["zot.rpc", `zot.bearer.${token}`]);
  },
};
