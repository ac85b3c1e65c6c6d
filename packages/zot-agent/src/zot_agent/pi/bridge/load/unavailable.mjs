// What extensions use that cannot be had over a pipe. It is told when they are loaded, and again where it is called.

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
  "pi's own files": "DefaultPackageManager ProjectTrustStore hasTrustRequiringProjectResources parseSkillBlock getPackageDir "
    + "getDocsPath getExamplesPath getReadmePath",
  "a function of pi that zot does not have": "convertToPng resizeImage formatDimensionNote detectSupportedImageMimeTypeFromFile "
    + "generateDiffString generateUnifiedPatch createLocalPowerShellOperations createPowerShellTool createPowerShellToolDefinition "
    + "getPowerShellConfig createCodemodeExtension createMcpExtension createToolSearchExtension formatReadLineRange "
    + "VIRTUAL_MODEL_STATE_ENTRY",
};
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
  ...NEWER.map((name) => [name, name, new RegExp(`\\b(?:pi|api)\\.${name}\\s*\\(`)]),
  ...MEMBERS.map((name) => [`${name} of Atomic`, name, new RegExp(`\\b(?:pi|ctx|context|api)\\.${name}\\b(?!\\s*\\?\\.)`)]),
];

/** What stands for each name that is not there: it says so when it is called, made or extended.
 * @returns {Record<string, Function>} */
export function absent() {
  return Object.fromEntries([...NAMES].map(([name, reason]) => [name, function () {
    throw new Error(`${name} is not there outside of pi: it is ${reason}`);
  }]));
}

/** @param {Map<string, Function[]>} handlers by event @returns {string[]} a line for each thing */
export function unheard(handlers) {
  return EVENTS.filter((each) => handlers.has(each)).map((each) => `the event ${each}`);
}

const IMPORT = /import\s*\{([^}]*)\}\s*from\s*["']@[^"']*\/(?:pi-coding-agent|pi-ai|pi-agent-core|atomic)["']/g;

/** @param {Iterable<string>} texts of its modules @returns {string[]} a line for each thing */
export function unavailable(texts) {
  const found = new Set();
  for (const text of texts) {
    for (const [use, word, pattern] of USES) if (text.includes(word) && pattern.test(text)) found.add(use);
    for (const match of text.matchAll(IMPORT)) {
      for (const part of match[1].split(",")) {
        const [name, local = name] = part.trim().split(/\s+as\s+/);
        // A name that is only a type is not called, made or extended.
        const used = NAMES.has(name) && new RegExp(`\\b${local}\\s*[(.]|\\bextends\\s+${local}\\b`).test(text);
        if (used) found.add(`${name} (${NAMES.get(name)})`);
      }
    }
  }
  return [...found];
}
