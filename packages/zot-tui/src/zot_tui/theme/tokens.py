"""`TOKENS`: every style a widget may name, its meaning, and its fallback if a theme does not set it.

A token without colours of its own in a theme looks like its fallback, and so on up to `text`. So a theme that sets only
`error` colours the removed lines of a diff too. A theme file names a token's foreground by `key`, and its background by
`background_key`; a token without the latter shows the background it is drawn on.
"""

from dataclasses import dataclass

READ = 4.5  # contrast that WCAG 2.2 (1.4.3) requires for text
SEEN = 3.0  # contrast that it requires for parts that are seen rather than read (1.4.11)


@dataclass(slots=True)
class Token:
    """A style by its meaning.

    `fallback` is the token it looks like if a theme does not set it, empty only for `text`. `contrast` is the required
    ratio to its background. `key` and `background_key` are dotted where the file has groups: `diff.added` is the entry
    `added` of the object `diff`. A `band` is a background for which terminals of 16 colours have no colour: these
    attributes are in its place. `basic` are attributes that those need because so few colours are used twice.
    """

    name: str
    fallback: str
    meaning: str
    contrast: float = READ
    key: str = ""
    background_key: str = ""
    band: tuple[str, ...] | None = None
    basic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.key = self.key or self.name


TOKENS: tuple[Token, ...] = (
    Token("text", "", "text: messages, lists, answers", key="fg", background_key="background"),
    Token("muted", "text", "secondary text: descriptions, times, counts"),
    Token("dim", "muted", "seen rather than read: gutters, line numbers, disabled parts", SEEN),
    Token("accent", "text", "emphasis: prompt, active marks"),
    Token("border", "dim", "lines around and between things", SEEN),
    Token("title", "accent", "titles of dialogs and panels"),
    Token("key", "accent", "names of keys in hints"),
    Token("match", "accent", "letters that a search found", basic=("underline",)),
    Token("selection", "text", "the chosen row", key="selection_fg", background_key="selection_bg"),
    Token("info", "muted", "notes for information"),
    Token("success", "tool", "success"),
    Token("warning", "accent", "warnings"),
    Token("error", "text", "errors"),
    Token("user", "accent", "name and mark of the user"),
    Token("user_bubble", "text", "messages of the user", key="user_bubble_fg", background_key="user_bubble_bg"),
    Token("assistant", "accent", "name and mark of the assistant"),
    Token("thought", "muted", "the assistant's reasoning"),
    Token("tool", "accent", "names of tool calls"),
    Token("tool_out", "muted", "output of tools"),
    Token("spinner", "assistant", "the working row"),
    Token("status", "muted", "the status bar", key="status_fg", background_key="status_bg"),
    Token("editor", "text", "text being typed", key="editor_fg", background_key="editor_bg"),
    Token("placeholder", "dim", "hint in an empty input", SEEN),
    Token("diff.added", "success", "added lines"),
    Token("diff.removed", "error", "removed lines"),
    Token("diff.added_line", "diff.added", "added lines in a diff", background_key="diff.added_bg", band=()),
    Token("diff.removed_line", "diff.removed", "removed lines in a diff", background_key="diff.removed_bg", band=()),
    Token(
        "diff.added_word",
        "diff.added_line",
        "what is new in a line",
        background_key="diff.added_word_bg",
        band=("underline",),
    ),
    Token(
        "diff.removed_word",
        "diff.removed_line",
        "what is gone",
        background_key="diff.removed_word_bg",
        band=("underline",),
    ),
    Token("diff.context", "muted", "unchanged lines"),
    Token("diff.header", "accent", "file names, positions of hunks"),
    Token("markdown.heading", "accent", "headings"),
    Token("markdown.strong", "text", "strong text"),
    Token("markdown.emphasis", "text", "emphasised text"),
    Token("markdown.strike", "muted", "struck text"),
    Token("markdown.link", "accent", "text of a link"),
    Token("markdown.url", "muted", "address of a link"),
    Token("markdown.code", "accent", "code within a sentence", background_key="markdown.code_bg"),
    Token("markdown.code_block", "text", "code in a block", background_key="markdown.code_block_bg"),
    Token("markdown.quote", "muted", "quoted text"),
    Token("markdown.bullet", "accent", "bullets and numbers of lists"),
    Token("markdown.rule", "dim", "horizontal rules, lines of tables", SEEN),
    Token("syntax.text", "markdown.code_block", "code that no other token covers"),
    Token("syntax.keyword", "syntax.text", "keywords"),
    Token("syntax.keyword_constant", "syntax.keyword", "true, null and similar"),
    Token("syntax.keyword_declaration", "syntax.keyword", "var, def and similar"),
    Token("syntax.keyword_namespace", "syntax.keyword", "import, package and similar"),
    Token("syntax.keyword_reserved", "syntax.keyword", "reserved words"),
    Token("syntax.keyword_type", "syntax.keyword", "names of built-in types"),
    Token("syntax.name_builtin", "syntax.text", "built-in names"),
    Token("syntax.name_function", "syntax.text", "names of functions"),
    Token("syntax.name_class", "syntax.text", "names of classes"),
    Token("syntax.name_decorator", "syntax.text", "decorators"),
    Token("syntax.literal_string", "syntax.text", "strings"),
    Token("syntax.literal_string_escape", "syntax.literal_string", "escapes in strings"),
    Token("syntax.literal_number", "syntax.text", "numbers"),
    Token("syntax.comment", "muted", "comments"),
    Token("syntax.comment_preproc", "syntax.comment", "preprocessor lines"),
    Token("syntax.operator", "syntax.text", "operators"),
    Token("syntax.punctuation", "syntax.text", "brackets, commas"),
)

BY_NAME: dict[str, Token] = {token.name: token for token in TOKENS}


def fallback_chain(name: str) -> list[Token]:
    """Return the token `name` and its fallbacks, ending in `text`; KeyError for an unknown token."""
    chain = [BY_NAME[name]]
    while chain[-1].fallback:
        chain.append(BY_NAME[chain[-1].fallback])
    return chain
