// The page of zot serve: a list of sessions, and a conversation with one of them.
// Whatever a model or a tool says becomes text nodes, never markup.

const $ = (id) => document.getElementById(id);
const KEY = "zot.token";
const LISTING = 4000; // milliseconds between two looks at the list of sessions
const LONGEST = 20000; // characters of a tool's output that are shown

let token = "";
let current = null; // the session that is open here
let socket = null;
let retry = 0; // of a connection that was lost
let listing = 0; // the timer of the next look at the list

// Talking to the server

class Failed extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      body: body && JSON.stringify(body),
    });
  } catch {
    throw new Failed(0, "zot serve does not answer");
  }
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Failed(response.status, answer.error);
  return answer;
}

function bearer() {
  const text = String.fromCharCode(...new TextEncoder().encode(token));
  return "zot.bearer." + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

function complain(error) {
  if (error.status === 401) return leave(error.message);
  say(error.message, true);
}

// The token

function leave(why = "") {
  hangUp();
  clearTimeout(listing);
  sessionStorage.removeItem(KEY);
  token = "";
  show(false);
  say(why, Boolean(why));
  $("token").value = "";
  $("token").focus();
}

function show(inside) {
  $("entrance").hidden = inside;
  $("workplace").hidden = $("leave").hidden = !inside;
}

async function enter(given) {
  token = given;
  try {
    await list();
  } catch (error) {
    return leave(error.message);
  }
  sessionStorage.setItem(KEY, token);
  show(true);
  say("");
  const wanted = decodeURIComponent(location.hash.slice(1));
  const only = $("sessions").querySelectorAll("button");
  const button = [...only].find((each) => each.dataset.id === wanted) ?? (only.length === 1 ? only[0] : null);
  if (button) button.click();
  else if (!only.length) { $("new").open = true; $("cwd").focus(); }
}

// The list

async function list() {
  clearTimeout(listing);
  try {
    const { sessions } = await ask("GET", "/sessions");
    draw(sessions);
  } finally {
    listing = setTimeout(() => { if (token) list().catch(complain); }, LISTING);
  }
}

function draw(sessions) {
  const before = new Map([...$("sessions").querySelectorAll("button")].map((each) => [each.dataset.id, each]));
  for (const [id, button] of before) if (!sessions.some((each) => each.id === id)) button.parentElement.remove();
  for (const session of sessions) {
    const button = before.get(session.id) ?? listed(session.id);
    const [name, where] = button.children;
    name.textContent = session.title || "New session";
    where.replaceChildren(session.busy ? made("span", "working", "working · ") : "", `${last(session.cwd)} · ${session.model}`);
    button.title = session.cwd;
    button.setAttribute("aria-current", String(current?.id === session.id));
    if (current?.id === session.id) head(session);
  }
  $("no-sessions").hidden = sessions.length > 0;
  if (current && !sessions.some((each) => each.id === current.id)) closed();
}

function listed(id) {
  const item = made("li");
  const button = made("button");
  button.type = "button";
  button.dataset.id = id;
  button.append(made("span", "name"), made("span", "where quiet"));
  button.addEventListener("click", () => open(id));
  item.append(button);
  $("sessions").append(item);
  return button;
}

const last = (path) => path.split("/").filter(Boolean).pop() ?? "/";

function made(kind, name = "", text = "") {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

// A session

function head(session) {
  $("title").textContent = session.title || "New session";
  $("about").textContent = [session.cwd, `${session.provider}/${session.model}`].join(" · ");
  document.title = `${session.title || "New session"} – zot`;
}

function hangUp() {
  clearTimeout(retry);
  if (socket) { socket.onclose = socket.onmessage = null; socket.close(); }
  socket = null;
}

function open(id) {
  hangUp();
  current = { id, busy: false, turn: null, calls: new Map() };
  ready(false);
  history.replaceState(null, "", `#${id}`);
  $("log").replaceChildren();
  $("composer").hidden = $("close").hidden = false;
  $("new").open = false;
  connect(0);
  list().catch(complain);
  $("message").focus();
}

// Whether the conversation is shown up to now, so that events go on from there.
function ready(is) {
  current.ready = is;
  $("conversation").dataset.ready = is ? "yes" : "";
}

function closed() {
  hangUp();
  current = null;
  history.replaceState(null, "", location.pathname);
  document.title = "zot";
  $("log").replaceChildren();
  $("composer").hidden = $("close").hidden = true;
  say("");
  $("title").textContent = "No session is open";
  $("about").textContent = "Choose one of the list, or open a new one.";
  $("title").focus();
}

function connect(tries) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/sessions/${current.id}/ws`, ["zot.rpc", bearer()]);
  socket.onopen = () => {
    say("");
    send({ id: "messages", type: "get_messages" });
    send({ id: "state", type: "get_state" });
  };
  socket.onmessage = ({ data }) => {
    tries = 0;
    take(JSON.parse(data));
  };
  socket.onclose = () => {
    ready(false);
    say("The connection is lost; trying again", true);
    const wait = Math.min(500 * 2 ** tries, 10000);
    retry = setTimeout(() => list().then(() => current && connect(tries + 1), (error) => {
      if (error.status) complain(error);
      else if (current) socket.onclose?.();
    }), wait);
    tries += 1;
  };
}

function send(command) {
  if (socket?.readyState !== WebSocket.OPEN) return say("There is no connection yet", true);
  socket.send(JSON.stringify(command));
  return undefined;
}

function take(line) {
  if (line.type === "response") respond(line);
  else if (current.ready) (EVENTS[line.type] ?? (() => {}))(line);
}

function respond({ id, success, data, error }) {
  if (!success) return say(error, true);
  if (id === "messages") {
    current.calls.clear();
    current.turn = null;
    $("log").replaceChildren();
    for (const message of data.messages) recall(message);
    ready(true);
    follow(true);
  }
  if (id === "state" && data.busy !== current.busy) busy(data.busy);
  return undefined;
}

function busy(is, words = "") {
  current.busy = is;
  $("stop").disabled = !is;
  $("log").setAttribute("aria-busy", String(is));
  say(is ? "Working…" : words);
}

// The conversation

function follow(always = false) {
  const log = $("log");
  if (always || log.scrollHeight - log.scrollTop - log.clientHeight < 160) {
    requestAnimationFrame(() => { log.scrollTop = log.scrollHeight; });
  }
}

function put(element) {
  $("log").append(element);
  follow();
  return element;
}

function spoken(who, name, text) {
  const part = made("article", name);
  const body = made("div", "text");
  body.append(document.createTextNode(text));
  part.append(made("h3", "", who), body);
  put(part);
  return body.firstChild;
}

function folded(name, title) {
  const part = made("details", name);
  const body = made("pre");
  body.append(document.createTextNode(""));
  part.append(made("summary", "", title), body);
  put(part);
  return part;
}

const output = (part) => part.lastChild.firstChild;
const textOf = (content) => content.map((each) => {
  if (each.type === "image") return `[${each.mime_type}, ${each.bytes} bytes]`;
  return each.type === "text" ? each.text : "";
}).join("");

function recall({ role, content }) {
  const text = textOf(content);
  if (role === "user") spoken("You", "user", text);
  if (role === "assistant" && text) spoken("zot", "assistant", text);
  for (const block of content) {
    if (block.type === "tool_call") called(block);
    if (block.type === "tool_result") returned({ ...block, id: block.call_id });
  }
}

function called({ id, name, args }) {
  current.calls.set(id, folded("tool", `${name} ${JSON.stringify(args ?? {})}`));
}

function returned({ id, name, is_error: bad, content }) {
  const part = current.calls.get(id) ?? folded("tool", name ?? "tool");
  part.classList.toggle("failed", bad);
  const text = textOf(content);
  output(part).data = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters` : text;
  if (bad) part.firstChild.append(" (failed)");
}

function grow(kind, make, delta) {
  current.turn ??= {};
  (current.turn[kind] ??= make()).appendData(delta);
  follow();
}

const EVENTS = {
  user_message({ content }) { busy(true); spoken("You", "user", textOf(content)); follow(true); },
  turn_start() { busy(true); current.turn = {}; },
  text_delta({ delta }) { grow("text", () => spoken("zot", "assistant", ""), delta); },
  reasoning_delta({ delta }) { grow("thinking", () => output(folded("thinking", "Thinking")), delta); },
  assistant_message({ content }) {
    const text = textOf(content);
    if (current.turn?.text) current.turn.text.data = text;
    else if (text) spoken("zot", "assistant", text);
  },
  tool_call: called,
  tool_progress({ id, text }) {
    const part = current.calls.get(id);
    if (part) output(part).data = (output(part).data + text).slice(-LONGEST);
  },
  tool_result: returned,
  compact_done({ summary }) { put(made("p", "notice", `The conversation was compacted. ${summary ?? ""}`)); },
  notice({ message }) { put(made("p", "notice", message)); },
  error({ message }) {
    const part = put(made("p", "error", message));
    part.setAttribute("role", "alert");
  },
  done({ reason }) {
    current.turn = null;
    busy(false, reason && reason !== "completed" ? `Ended: ${reason}` : "The answer is complete");
    send({ id: "state", type: "get_state" }); // something may wait behind it
    list().catch(complain);
  },
  ext_notify({ extension, message }) { put(made("p", "notice", `${extension}: ${message}`)); },
  ext_display({ extension, text }) { put(made("p", "notice text", `${extension}: ${text}`)); },
};

// What a person does

function stop() {
  if (current?.busy) send({ type: "abort" });
}

$("token-form").addEventListener("submit", (event) => { event.preventDefault(); enter($("token").value.trim()); });
$("leave").addEventListener("click", () => leave());

$("new-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const asked = {};
  for (const name of ["cwd", "model"]) if ($(name).value.trim()) asked[name] = $(name).value.trim();
  try {
    const session = await ask("POST", "/sessions", asked);
    open(session.id);
    for (const note of session.notes) say(note);
  } catch (error) {
    complain(error);
  }
});

$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const message = $("message").value;
  if (!message.trim() || !current?.ready) return;
  send({ type: "prompt", message });
  $("message").value = "";
});

$("message").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("composer").requestSubmit();
  }
});

$("stop").addEventListener("click", stop);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") stop(); });

$("close").addEventListener("click", async () => {
  if (!current || !confirm("Close this session? What it runs is stopped.")) return;
  try {
    await ask("DELETE", `/sessions/${current.id}`);
    closed();
    await list();
  } catch (error) {
    complain(error);
  }
});

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) history.replaceState(null, "", location.pathname);
const kept = given ?? sessionStorage.getItem(KEY);
if (kept) enter(kept);
else leave();
