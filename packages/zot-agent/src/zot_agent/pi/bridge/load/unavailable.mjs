// What extensions use that cannot be had over a pipe. It is told when they are loaded, and again where it is called.

import { fileURLToPath } from "node:url";

const REASONS = {
  "an agent in the process of the extension": "createAgentSessionRuntime AgentSessionRuntime compact generateSummary generateSummaryWithUsage "
    + "generateBranchSummary prepareBranchEntries collectEntriesForBranchSummary findCutPoint findTurnStartIndex "
    + "buildContextEntries buildSessionProjection AgentHarness",
  "the host of extensions": "ExtensionRunner discoverAndLoadExtensions wrapRegisteredTool wrapRegisteredTools",
  "a part of pi's own screen": "InteractiveMode BashExecutionComponent BranchSummaryMessageComponent "
    + "CompactionSummaryMessageComponent ExtensionEditorComponent ExtensionInputComponent ExtensionSelectorComponent "
    + "FooterComponent LoginDialogComponent ModelSelectorComponent OAuthSelectorComponent SessionSelectorComponent "
    + "SettingsSelectorComponent ShowImagesSelectorComponent SkillInvocationMessageComponent ThemeSelectorComponent "
    + "ThinkingSelectorComponent ToolExecutionComponent TreeSelectorComponent UserMessageSelectorComponent ArminComponent",
  "pi's command line": "main parseArgs runPrintMode runRpcMode RpcClient resolveModelScopeWithDiagnostics",
  "pi's own models and keys": "readStoredCredential CredentialSynchronizationError createModels "
    + "createProvider createImagesModels createImagesProvider InMemoryCredentialStore InMemoryModelsStore retryAssistantCall",
  "pi's own files": "DefaultPackageManager ProjectTrustStore hasTrustRequiringProjectResources parseSkillBlock",
  "a function of pi that zot does not have": "convertToPng resizeImage formatDimensionNote detectSupportedImageMimeTypeFromFile "
    + "createLocalPowerShellOperations createPowerShellTool createPowerShellToolDefinition "
    + "getPowerShellConfig createCodemodeExtension createMcpExtension createToolSearchExtension formatReadLineRange "
    + "VIRTUAL_MODEL_STATE_ENTRY",
};
/** Paths of texts of pi. Extensions ask for them while they are loaded, so there is an answer; the texts are not there. */
const TEXTS = { getDocsPath: "docs", getExamplesPath: "examples", getReadmePath: "README.md" };
const NAMES = new Map(Object.entries(REASONS).flatMap(([reason, names]) => names.split(" ").map((name) => [name, reason])));

/** Events of pi that zot does not have. */
const EVENTS = ["cache_warming_decision", "mcp_servers_change", "provider_stream_event"];

const OPTIONS = ["excludeFromContext", "interruptAbortMessage"];
const MEMBERS = ["getWorkflowResources", "getChatRenderSettings", "orchestrationContext", "subagentPolicy", "internalResourceRouter",
  "getSkillCatalog"];

const NEWER = ["registerVirtualModel", "registerMcpServer", "getMcpServers", "registerToolRenderer"];

/** What the text of an extension shows: options of calls, entries, and members of objects, each with a word without which
 * nothing is looked for. A member that is only used where it is there (`pi.getSkillCatalog?.()`) is not missed. */
const USES = [
  ...OPTIONS.map((name) => [`the option ${name} of sendMessage`, name, new RegExp(`\\bsendMessages?\\b[^]*\\b${name}\\s*:`)]),
  ["the session files of pi, which zot does not write", "sessions",
    /(?:getAgentDir\(\)|["'`/]\.pi\b)[^;\n]{0,80}["'`/]sessions\b/],
  ["entries of the kind context_edit", "context_edit", /\btype\s*:\s*["']context_edit["']/],
  ["files of pi's own screen", "dist/modes/interactive", /["'`]dist\/modes\/interactive\/[^"'`\n]+["'`]/],
  ...NEWER.map((name) => [name, name, new RegExp(`\\b(?:pi|api)\\.${name}\\s*\\(`)]),
  ...MEMBERS.map((name) => [`${name} of Atomic`, name, new RegExp(`\\b(?:pi|ctx|context|api)\\.${name}\\b(?!\\s*\\?\\.)`)]),
];

/** What stands for a value that is not there: it says so when it is called, made or extended, or when something is asked of it.
 * @param {string} name @param {string} reason */
function stub(name, reason) {
  const fail = () => {
    throw new Error(`${name} is not there outside of pi: it is ${reason}`);
  };
  const read = (target, member) => (typeof member === "symbol" || HARMLESS.has(member) ? target[member] : fail());
  const standing = new Proxy(function () {}, { apply: fail, construct: fail, get: read });
  STUBS.set(standing, reason);
  return standing;
}

/** The reason of each stub. @type {WeakMap<Function, string>} */
const STUBS = new WeakMap();
/** Members that are looked at without a use of the value. */
const HARMLESS = new Set(["prototype", "name", "length", "then", "toJSON", "__esModule", "$$typeof", "default", "call", "apply", "bind"]);

/** What stands for each name that is not there. @param {Iterable<string>} [more] names beside those of pi
 * @returns {Record<string, Function>} */
export function absent(more = []) {
  const unexplained = [...more].map((name) => [name, "a value of Atomic that zot does not have"]);
  const found = Object.fromEntries([...unexplained, ...NAMES].map(([name, reason]) => [name, stub(name, reason)]));
  for (const [name, file] of Object.entries(TEXTS)) {
    found[name] = () => fileURLToPath(new URL(`../${file}`, import.meta.url));
    STUBS.set(found[name], "pi's own files");
  }
  return found;
}

/** @param {Map<string, Function[]>} handlers by event @returns {string[]} a line for each thing */
export function unheard(handlers) {
  return EVENTS.filter((each) => handlers.has(each)).map((each) => `the event ${each}`);
}

/** What an extension uses that is not there. A value that a module of the bridge lacks gets one that says so.
 * @param {string[]} texts of its modules
 * @param {Set<string>} uses of its modules, as `usesOf` has them
 * @param {Record<string, any>} modules of the bridge, by their specifiers
 * @param {Set<string> | undefined} members of the objects that extensions get, as in `uses`
 * @returns {string[]} a line for each thing */
export function unavailable(texts, uses, modules, members) {
  const found = new Set();
  for (const text of texts) {
    for (const [use, word, pattern] of USES) if (text.includes(word) && pattern.test(text)) found.add(use);
  }
  for (const use of uses) {
    const [from, name] = use.split(" ");
    if (name === undefined) {
      if (members?.has(use) === false) found.add(use);
    } else if (Object.getOwnPropertyDescriptor(modules, from)?.value) {
      const module = modules[from];
      if (!(name in module) && name !== "default") module[name] = stub(name, `a value of ${from} that zot does not have`);
      if (STUBS.has(module[name])) found.add(`${name} (${STUBS.get(module[name])})`);
    }
  }
  return [...found];
}
