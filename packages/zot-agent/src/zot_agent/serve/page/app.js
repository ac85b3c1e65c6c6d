// The page of zot serve: a list of sessions, and a conversation with one of them.

import { Accounts } from "./accounts.js";
import { Earlier } from "./earlier.js";
import { folded, follow, made, note, output, put, spoken, textOf } from "./log.js";
import { Permission } from "./permission.js";
import { server } from "./server.js";
import { Settings } from "./settings.js";
import { Waiting } from "./waiting.js";

const $ = (id) => document.getElementById(id);
const KEY = "zot.token";
const LISTING = 4000; // milliseconds between two looks at the list of sessions
const COMPLETE = "The answer is complete";
const LONGEST = 20000; // characters of a tool's output that are shown

const accounts = new Accounts(say, complain);
const earlier = new Earlier(open, complain);
const settings = new Settings(say, complain);
const permission = new Permission(send);

let current = null; // the session that is open here
let socket = null;
let retry = 0; // of a connection that was lost
let listing = 0; // the timer of the next look at the list

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

function complain(error) {
  if (error.status === 401) return leave(error.message);
  say(error.message, true);
}

// The token

// Without a token: show the form for it, and remove everything else.
function leave(why = "") {
  clearTimeout(listing);
  clear();
  accounts.clear();
  earlier.clear();
  settings.clear();
  $("sessions").replaceChildren();
  $("new-form").reset();
  $("composer").reset();
  knock(why);
}

function knock(why = "") {
  sessionStorage.removeItem(KEY);
  server.token = "";
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
  if (!/^[\x20-\x7e]+$/.test(given)) return knock("the token is wrong"); // no header could bring it
  server.token = given;
  try {
    await list();
  } catch (error) {
    clearTimeout(listing);
    return knock(error.message);
  }
  sessionStorage.setItem(KEY, given);
  show(true);
  say("");
  const wanted = decodeURIComponent(location.hash.slice(1));
  const only = $("sessions").querySelectorAll("button");
  const button = [...only].find((each) => each.dataset.id === wanted) ?? (only.length === 1 ? only[0] : null);
  if (button) button.click();
  else if (!only.length) { $("new").open = true; $("cwd").focus(); }
  return undefined;
}

// The list

async function list() {
  clearTimeout(listing);
  const { token } = server;
  try {
    const { sessions } = await server.ask("GET", "/sessions");
    if (token === server.token) draw(sessions);
  } finally {
    listing = setTimeout(() => { if (server.token) list().catch(complain); }, LISTING);
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

// A session

function head(session) {
  $("title").textContent = session.title || "New session";
  $("about").textContent = [session.cwd, `${session.provider}/${session.model}`].join(" · ");
  document.title = `${session.title || "New session"} – zot`;
  $("save").hidden = !session.session_id || !session.message_count;
  $("save").dataset.id = session.session_id;
}

function hangUp() {
  permission.show(null);
  clearTimeout(retry);
  if (socket) { socket.onclose = socket.onmessage = null; socket.close(); }
  socket = null;
}

function open(id, notes = []) {
  hangUp();
  const waiting = new Waiting(send, () => wait(), giveBack);
  // `stop`: how the last turn of the running prompt ended, null if unknown
  current = { id, notes, waiting, busy: false, turn: null, calls: new Map(), stop: null, failed: false };
  ready(false);
  history.replaceState(null, "", `#${id}`);
  $("log").replaceChildren();
  wait();
  $("composer").hidden = $("close").hidden = false;
  $("new").open = false;
  connect(0);
  list().catch(complain);
  $("message").focus();
}

// Whether the conversation is shown completely, so that events can continue it.
function ready(is) {
  current.ready = is;
  $("conversation").dataset.ready = is ? "yes" : "";
}

// Show no session.
function clear() {
  hangUp();
  current = null;
  history.replaceState(null, "", location.pathname);
  document.title = "zot";
  $("log").replaceChildren();
  wait();
  $("composer").hidden = $("close").hidden = $("save").hidden = true;
  $("title").textContent = "No session is open";
  $("about").textContent = "Choose one of the list, or open a new one.";
}

function closed() {
  clear();
  say("");
  $("title").focus();
}

function connect(tries) {
  socket = server.connect(`/sessions/${current.id}/ws`);
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
    current.waiting.lost();
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

function respond(response) {
  const { id, success, data, error } = response;
  if (current.waiting.answered(response)) return undefined;
  if (!success) return say(error, true);
  if (id === "messages") {
    current.calls.clear();
    current.turn = null;
    $("log").replaceChildren();
    for (const text of current.notes) note(text);
    for (const each of data.messages) recall(each);
    current.waiting.heard(...data.messages.filter(({ role }) => role === "user").map(shownText));
    ready(true);
    follow(true);
  }
  if (id === "state") {
    permission.show(data.permission_requests[0] ?? null);
    if (!data.busy) current.waiting.end(false); // of what ended while there was no connection
    if (data.busy !== current.busy) busy(data.busy);
  }
  return undefined;
}

function busy(is, words = "") {
  current.busy = is;
  $("stop").disabled = !is;
  $("log").setAttribute("aria-busy", String(is));
  say(is ? working() : words);
}

function working() {
  const count = current.waiting.shown.length;
  return count ? `Working… ${count === 1 ? "One waits" : `${count} wait`}` : "Working…";
}

// Show the waiting messages.
function wait() {
  const texts = current?.waiting.shown ?? [];
  $("waiting").replaceChildren(...texts.map((text) => made("li", "", text)));
  $("waiting").hidden = !texts.length;
  if (current?.busy) say(working());
}

function giveBack(text, why) {
  $("message").value = [text, $("message").value].filter((each) => each.trim()).join("\n");
  if (why) say(why, true);
}

function ended(reason) {
  const { stop: last, failed } = current;
  current.stop = null;
  current.failed = false;
  if (reason && reason !== "completed") return `Ended: ${reason}`;
  if (failed || last === "error") return "Failed";
  if (["", "aborted", "tool_use"].includes(last)) return "Stopped";
  return last === "compacted" ? "The conversation is compacted" : COMPLETE;
}

// The conversation

// What the user sees of a stored message.
function shownText({ content, display_text: replacement, hidden }) {
  return hidden ? "" : (replacement ?? textOf(content));
}

function recall(message) {
  const { role, content } = message;
  const text = shownText(message);
  if (role === "user" && !message.hidden) spoken("You", "user", text);
  if (role === "assistant" && text) spoken("zot", "assistant", text);
  if (message.hidden) note(message.hidden);
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
  user_message(message) {
    const text = shownText(message);
    current.stop = "";
    current.waiting.heard(text);
    busy(true);
    if (message.hidden) note(message.hidden);
    else spoken("You", "user", text);
    follow(true);
  },
  turn_start() { busy(true); current.turn = {}; current.stop = ""; },
  turn_end({ stop: how }) { current.stop = how; },
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
  compact_start() { busy(true); current.stop ??= ""; },
  compact_done({ summary }) {
    current.stop ||= "compacted";
    note(`The conversation was compacted. ${summary ?? ""}`);
  },
  notice({ message }) { note(message); },
  auto_retry_start({ error_message: why, delay_ms: delay }) { note(`${why}; trying again in ${Math.round(delay / 1000)} s`); },
  error({ message }) {
    current.failed = true;
    const part = put(made("p", "error", message));
    part.setAttribute("role", "alert");
  },
  done({ reason }) {
    current.turn = null;
    const words = ended(reason);
    const back = current.waiting.end(words === COMPLETE);
    busy(false, back ? `${words}; what waited is below` : words);
    send({ id: "state", type: "get_state" }); // something may wait behind it
    list().catch(complain);
  },
  permission_request(request) { permission.show(request); },
  permission_resolved({ request }) { permission.resolved(request); },
  ext_notify({ extension, message }) { note(`${extension}: ${message}`); },
  ext_display({ extension, text }) { note(`${extension}: ${text}`, "text"); },
};

// Input of the user

function stop() {
  if (!current?.busy) return;
  current.waiting.stop();
  send({ type: "abort" });
}

$("token-form").addEventListener("submit", (event) => { event.preventDefault(); enter($("token").value.trim()); });
$("leave").addEventListener("click", () => leave());

$("new-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const asked = {};
  for (const name of ["cwd", "model"]) if ($(name).value.trim()) asked[name] = $(name).value.trim();
  try {
    const session = await server.ask("POST", "/sessions", asked);
    open(session.id, session.notes);
  } catch (error) {
    complain(error);
  }
});

$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const message = $("message").value;
  if (!message.trim() || !current?.ready) return;
  $("message").value = "";
  current.waiting.say(message, current.busy);
});

$("message").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("composer").requestSubmit();
  }
});

$("stop").addEventListener("click", stop);
$("save").addEventListener("click", () => earlier.save($("save").dataset.id));
document.addEventListener("keydown", (event) => { if (event.key === "Escape") stop(); });

$("close").addEventListener("click", async () => {
  if (!current || !confirm("Close this session? What it runs is stopped.")) return;
  try {
    await server.ask("DELETE", `/sessions/${current.id}`);
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
else knock();
