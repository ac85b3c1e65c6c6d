// Requests to the server over HTTP; `token` is the secret of the server.

export class Failed extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

export const server = {
  token: "",

  // Return the JSON response to a request. Throws `Failed`, with status 0 if there is no response.
  async ask(method, path, body) {
    let response;
    try {
      response = await fetch(path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, ...(body ? { "content-type": "application/json" } : {}) },
        body: body && JSON.stringify(body),
      });
    } catch {
      throw new Failed(0, "zot serve does not answer");
    }
    const answer = response.status === 204 ? null : await response.json();
    if (!response.ok) throw new Failed(response.status, answer.error);
    return answer;
  },

  // Open the WebSocket of a path. A page cannot set headers: the token is a subprotocol.
  connect(path) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const token = btoa(this.token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return new WebSocket(`${scheme}://${location.host}${path}`, ["zot.rpc", `zot.bearer.${token}`]);
  },
};
