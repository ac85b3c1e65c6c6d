// The page of zot serve: a list of sessions, and a conversation with one of them.

import { $ } from "./dom.js";
import { Keys } from "./ext/keys.js";
import { Panels } from "./ext/panels.js";
import { renderers } from "./ext/renderers.js";
import { CALLS, Shown } from "./ext/shown.js";
import { Find } from "./log/find.js";
import { empty } from "./log/log.js";
import { server } from "./server.js";
import { Session } from "./session.js";
import { Accounts } from "./side/accounts.js";
import { Earlier } from "./side/earlier.js";
import { SessionList } from "./side/list.js";
import { Runs } from "./side/runs.js";
import { Settings } from "./side/settings.js";
import { Commands } from "./prompt/commands.js";
import { Completions } from "./prompt/completions.js";
import { Composer } from "./prompt/composer.js";
import { Field } from "./prompt/field.js";
import { Folders } from "./prompt/folders.js";
import { Look } from "./prompt/look.js";
import { Pickers } from "./prompt/pickers.js";

const KEY = "zot.token";
const NARROW = matchMedia("(max-width: 600px)");

const accounts = new Accounts(say, complain);
const earlier = new Earlier(open, complain);
const settings = new Settings(say, complain);
const list = new SessionList({ open: (id) => open(id), seen, complain });
const runs = new Runs(say, complain);
const pickers = new Pickers();
const look = new Look((text) => composer.giveBack(text));
const ask = (type, fields) => current?.attempt(type, fields).then((data) => data && current?.refresh());
const folders = new Folders(complain);
const find = new Find();
const keys = new Keys();
const commands = new Commands({
  changes: { description: "what this session changed", run: () => look.changes() },
  clear: { description: "delete the messages of the conversation", run: () => ask("clear").then(() => current?.moved()) },
  compact: { description: "replace the conversation with a summary", hint: "[what to keep]", run: (text) => ask("compact", text ? { instructions: text } : {}) },
  context: { description: "what fills the context window", run: () => look.context() },
  fork: { description: "continue in a copy of this session", run: () => ask("session.fork") },
  mode: { description: "what becomes of tool calls", hint: "ask | accept-edits | plan | yolo", run: (mode) => ask("permissions.mode", { mode }) },
  model: { description: "change the model", hint: "[name]", run: (model) => (model ? ask("set_model", { model }) : pickers.models()) },
  new: { description: "start a new session here", run: () => ask("session.new") },
  reasoning: { description: "how much the model thinks", hint: "level", run: (reasoning) => ask("set_reasoning", { reasoning }) },
  redo: { description: "take back the last undo", run: () => look.undo("session.redo") },
  rename: { description: "give this session a title", hint: "title", run: (title) => ask("session.rename", { title }) },
  search: { description: "search the conversation", hint: "[text]", run: (text) => find.open(text) },
  tree: { description: "the tree of this session", run: () => look.tree() },
  undo: { description: "go back to before the last prompt, with its files", run: () => look.undo("session.undo") },
}, (name) => keys.of(name));
const completions = new Completions(commands); // before the composer: Enter may choose a row
const composer = new Composer(say, commands);
const parts = [composer, commands, completions, new Field(), keys, pickers, look, find, renderers, new Panels(), new Shown()];

let current = null; // the session that is open here

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

function complain(error) {
  if (error.status === 401) return leave(error.message);
  return say(error.message, true);
}

// The token

// Without a token: show the form for it, and remove everything else.
function leave(why = "") {
  list.clear();
  clear();
  accounts.clear();
  earlier.clear();
  settings.clear();
  runs.clear();
  $("begin").reset();
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
  $("workplace").hidden = $("leave").hidden = $("menu").hidden = !inside;
}

async function enter(given) {
  if (!/^[\x20-\x7e]+$/.test(given)) return knock("the token is wrong"); // no header could bring it
  server.token = given;
  try {
    await list.load();
  } catch (error) {
    list.stop();
    return knock(error.message);
  }
  sessionStorage.setItem(KEY, given);
  show(true);
  unfold(!NARROW.matches);
  say("");
  const wanted = decodeURIComponent(location.hash.slice(1));
  const only = list.buttons;
  const button = only.find((each) => each.dataset.id === wanted) ?? (only.length === 1 ? only[0] : null);
  if (button) button.click();
  else begin();
  return undefined;
}

// Show the lists at the side, or fold them away.
function unfold(is) {
  $("side").hidden = !is;
  $("menu").setAttribute("aria-expanded", String(is));
}

// The session

// Follow what the list says of the sessions. Returns the id of the one that is shown.
function seen(sessions) {
  const found = sessions.find((each) => each.id === current?.id);
  if (found) head(found);
  else if (current) closed();
  return current?.id;
}

function head(session) {
  const title = session.title || "New session";
  $("title").textContent = title;
  $("about").textContent = [session.cwd, `${session.provider}/${session.model}`].join(" · ");
  const calls = document.title.startsWith(CALLS) ? CALLS : "";
  if (document.title.endsWith("zot")) document.title = `${calls}${title} – zot`; // else an extension names the window
  $("save").hidden = !session.session_id || !session.message_count;
  $("save").dataset.id = session.session_id;
}

function open(id, notes = []) {
  current?.close();
  const on = { say, still, back: (...given) => composer.giveBack(...given), changed: () => list.load().catch(complain) };
  current = new Session(id, notes, on, parts);
  history.replaceState(null, "", `#${id}`);
  $("composer").hidden = $("tools").hidden = false;
  $("begin").hidden = true;
  if (NARROW.matches) unfold(false);
  current.open();
  list.load().catch(complain);
  $("message").focus();
}

// Whether the session that is shown is still there, null if the server does not answer.
async function still() {
  try {
    await list.load();
    return current !== null;
  } catch (error) {
    if (error.status) complain(error);
    return error.status ? false : null;
  }
}

// Show no session.
function clear() {
  current?.close();
  current = null;
  history.replaceState(null, "", location.pathname);
  document.title = "zot";
  empty();
  $("waiting").replaceChildren();
  $("waiting").hidden = true;
  $("composer").hidden = $("save").hidden = $("tools").hidden = $("todo-part").hidden = true;
  $("title").textContent = "A new session";
  $("about").textContent = "Say what is to be done, or choose a session of the list.";
  $("begin").hidden = false;
}

// Show no session, but the field for the first prompt of a new one, with the folders of earlier sessions.
async function begin() {
  clear();
  if (NARROW.matches) unfold(false);
  $("task").focus();
  try {
    await folders.load();
  } catch (error) {
    complain(error);
  }
}

function closed() {
  clear();
  say("");
  $("title").focus();
}

// Input of the user

$("token-form").addEventListener("submit", (event) => { event.preventDefault(); enter($("token").value.trim()); });
$("leave").addEventListener("click", () => leave());
$("menu").addEventListener("click", () => unfold($("side").hidden));
NARROW.addEventListener("change", () => unfold(!NARROW.matches));

$("new").addEventListener("click", begin);
$("task").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("begin").requestSubmit();
});
$("begin").addEventListener("submit", async (event) => {
  event.preventDefault();
  const asked = {};
  for (const name of ["cwd", "model"]) if ($(name).value.trim()) asked[name] = $(name).value.trim();
  const [message, mode] = [$("task").value, $("mode").value];
  try {
    const session = await server.ask("POST", "/sessions", asked);
    const order = (type, fields) => server.ask("POST", `/sessions/${session.id}/commands`, { type, ...fields });
    $("task").value = "";
    open(session.id, session.notes);
    if (mode) await order("permissions.mode", { mode });
    if (message.trim()) await order("prompt", { message });
  } catch (error) {
    if (current) composer.giveBack(message);
    complain(error);
  }
});

$("stop").addEventListener("click", () => current?.stop());
$("save").addEventListener("click", () => earlier.save($("save").dataset.id));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) current?.stop();
});
// The timers of a page that nobody sees are slow: the list is current as soon as somebody looks again.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && server.token) list.load().catch(complain);
});

$("close").addEventListener("click", async () => {
  if (!current || !confirm("Close this session? What it runs is stopped.")) return;
  try {
    await server.ask("DELETE", `/sessions/${current.id}`);
    closed();
    await list.load();
  } catch (error) {
    complain(error);
  }
});

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) history.replaceState(null, "", location.pathname);
const kept = given ?? sessionStorage.getItem(KEY);
if (kept) enter(kept);
else knock();
