// The theme that extensions colour with: pi's names of colours, the colours of zot's theme.

/** Where each colour of pi comes from in a theme of zot. */
const SOURCES = {
  accent: "accent", border: "border", borderAccent: "assistant", borderMuted: "border", success: "success", error: "error",
  warning: "warning", muted: "muted", dim: "dim", text: "text", thinkingText: "thought",
  userMessageText: "user_bubble", customMessageText: "text", customMessageLabel: "spinner", toolTitle: "text",
  toolOutput: "tool_out", mdHeading: "user", mdLink: "accent", mdLinkUrl: "markdown.url", mdCode: "markdown.code",
  mdCodeBlock: "markdown.code_block", mdCodeBlockBorder: "border", mdQuote: "markdown.quote", mdQuoteBorder: "border",
  mdHr: "markdown.rule", mdListBullet: "markdown.bullet", toolDiffAdded: "diff.added", toolDiffRemoved: "diff.removed",
  toolDiffContext: "diff.context", syntaxComment: "syntax.comment", syntaxKeyword: "syntax.keyword",
  syntaxFunction: "syntax.name_function", syntaxVariable: "syntax.text", syntaxString: "syntax.literal_string",
  syntaxNumber: "syntax.literal_number", syntaxType: "syntax.name_class", syntaxOperator: "syntax.operator",
  syntaxPunctuation: "syntax.punctuation", thinkingOff: "dim", thinkingMinimal: "muted", thinkingLow: "accent",
  thinkingMedium: "assistant", thinkingHigh: "spinner", thinkingXhigh: "warning", thinkingMax: "error", bashMode: "tool",
  searchMatch: "match",
};
const BACKGROUNDS = {
  selectedBg: "selection.background", searchMatchBg: "selection.background", userMessageBg: "user_bubble.background",
  customMessageBg: "user_bubble.background", toolPendingBg: "", toolSuccessBg: "", toolErrorBg: "",
};
/** The colours of zot's theme `dark`, for where zot does not say which are in use. */
const DARK = {
  muted: "#a9b1bf", dim: "#878f9e", border: "#878f9e", accent: "#8fb4ff", user: "#e6c384", assistant: "#7fd5e6",
  thought: "#a9b1bf", tool: "#9fd18b", success: "#9fd18b", error: "#ff9a94", warning: "#f0bd6c", spinner: "#c9b0f0",
  "diff.added": "#9fd18b", "diff.removed": "#ff9a94", "selection.background": "#264f78",
};

function sequence(color, layer) {
  const hex = /#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(color ?? "");
  if (/^\d+$/.test(color ?? "")) return `\x1b[${layer}8;5;${color}m`;
  if (!hex) return `\x1b[${layer}9m`;
  return `\x1b[${layer}8;2;${hex.slice(1).map((each) => parseInt(each, 16)).join(";")}m`;
}

export class Theme {
  /** @param {string} name @param {Record<string, string>} [colors] of zot, by the name of their token */
  constructor(name, colors = DARK) {
    this.name = name;
    this.colors = Object.keys(colors).length ? colors : DARK;
  }

  fg(color, text) { return `${this.getFgAnsi(color)}${text}\x1b[39m`; }
  bg(color, text) { return `${this.getBgAnsi(color)}${text}\x1b[49m`; }
  bold(text) { return `\x1b[1m${text}\x1b[22m`; }
  dim(text) { return `\x1b[2m${text}\x1b[22m`; }
  italic(text) { return `\x1b[3m${text}\x1b[23m`; }
  underline(text) { return `\x1b[4m${text}\x1b[24m`; }
  inverse(text) { return `\x1b[7m${text}\x1b[27m`; }
  strikethrough(text) { return `\x1b[9m${text}\x1b[29m`; }

  getFgAnsi(color) {
    if (!(color in SOURCES)) throw new Error(`Unknown theme color: ${color}`);
    return sequence(this.colors[SOURCES[color]], 3);
  }

  getBgAnsi(color) {
    if (!(color in BACKGROUNDS)) throw new Error(`Unknown theme background color: ${color}`);
    return sequence(this.colors[BACKGROUNDS[color]], 4);
  }

  getColorMode() { return "truecolor"; }

  getThinkingBorderColor(level) {
    const name = `thinking${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    return (text) => this.fg(name in SOURCES ? name : "thinkingOff", text);
  }

  getBashModeBorderColor() { return (text) => this.fg("bashMode", text); }
}

/** @returns {Theme} the one in use */
export const currentTheme = () => globalThis[Symbol.for("zot.pi.bridge")].screen.theme;

const colored = (color) => (text) => currentTheme().fg(color, text);
export const initTheme = () => {};

export function getMarkdownTheme() {
  return {
    heading: colored("mdHeading"), link: colored("mdLink"), linkUrl: colored("mdLinkUrl"), code: colored("mdCode"),
    codeBlock: colored("mdCodeBlock"), codeBlockBorder: colored("mdCodeBlockBorder"), quote: colored("mdQuote"),
    quoteBorder: colored("mdQuoteBorder"), hr: colored("mdHr"), listBullet: colored("mdListBullet"),
    bold: (text) => currentTheme().bold(text), italic: (text) => currentTheme().italic(text),
    underline: (text) => currentTheme().underline(text), strikethrough: (text) => currentTheme().strikethrough(text),
    highlightCode: (code, language) => highlightCode(code, language),
  };
}

export const getSelectListTheme = () => ({
  selectedPrefix: colored("accent"), selectedText: colored("accent"), description: colored("muted"),
  scrollInfo: colored("muted"), noMatch: colored("muted"),
});

export const getSettingsListTheme = () => ({
  label: (text, selected) => (selected ? currentTheme().fg("accent", text) : text),
  value: (text, selected) => currentTheme().fg(selected ? "accent" : "muted", text),
  description: colored("dim"), cursor: currentTheme().fg("accent", "→ "), hint: colored("dim"),
});

export const getEditorTheme = () => ({ borderColor: colored("borderMuted"), selectList: getSelectListTheme() });

/** Code is not coloured here: the lexers of pi take long to load. @param {string} code @returns {string[]} lines */
export function highlightCode(code) {
  return code.split("\n").map((line) => currentTheme().fg("mdCodeBlock", line));
}

const LANGUAGES = {
  ts: "typescript", tsx: "typescript", js: "javascript", jsx: "javascript", mjs: "javascript", py: "python", rs: "rust",
  go: "go", rb: "ruby", sh: "bash", md: "markdown", json: "json", yml: "yaml", yaml: "yaml", html: "html", css: "css",
  c: "c", h: "c", cpp: "cpp", java: "java", toml: "toml", sql: "sql",
};
export const getLanguageFromPath = (file) => LANGUAGES[file.split(".").at(-1)?.toLowerCase()];

