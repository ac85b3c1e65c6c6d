// Talking to the server over HTTP; `token` is what it wants to see.

export class Failed extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

export const server = {
  token: "",

  // The JSON that answers a request. Throws `Failed`, of status 0 where nothing answers.
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

  // A WebSocket of a path. A page cannot give it headers: the token is a subprotocol.
  connect(path) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const token = btoa(this.token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return new WebSocket(`${scheme}://${location.host}${path}`, ["zot.rpc", `zot.bearer.${token}`]);
  },
};
