"""`TOKENS`: every style a widget may name, what it means, and what it looks like if a theme does not say.

A token without colours of its own in a theme looks like its fallback, and so on up to `text`. So a theme that sets
`error` alone colours removed lines of a diff too. A theme file names a token's foreground by `key`, its background by
`background_key`; a token without the latter shows whatever background it lies on.
"""

from dataclasses import dataclass

READ = 4.5  # contrast that WCAG 2.2 (1.4.3) asks for text
SEEN = 3.0  # contrast that it asks for what is seen rather than read (1.4.11)


@dataclass(slots=True)
class Token:
    """A style by its meaning.

    `fallback` is the token it looks like where the theme is silent, empty for `text` alone. `contrast` is the least
    ratio to its background at which it does its job. `key` and `background_key` are dotted where the file has groups:
    `diff.added` is the entry `added` of the object `diff`.
    """

    name: str
    fallback: str
    meaning: str
    contrast: float = READ
    key: str = ""
    background_key: str = ""

    def __post_init__(self) -> None:
        self.key = self.key or self.name


TOKENS: tuple[Token, ...] = (
    Token("text", "", "what is read: messages, lists, answers", key="fg", background_key="background"),
    Token("muted", "text", "second to text: descriptions, times, counts"),
    Token("dim", "muted", "seen rather than read: gutters, line numbers, what is switched off", SEEN),
    Token("accent", "text", "what counts here: prompt, active marks"),
    Token("border", "dim", "lines around and between things", SEEN),
    Token("title", "accent", "titles of dialogs and panels"),
    Token("key", "accent", "names of keys in hints"),
    Token("match", "accent", "letters that a search found"),
    Token("selection", "text", "the chosen row", key="selection_fg", background_key="selection_bg"),
    Token("info", "muted", "notes that want nothing"),
    Token("success", "tool", "what went well"),
    Token("warning", "accent", "what may go wrong"),
    Token("error", "text", "what went wrong"),
    Token("user", "accent", "name and mark of the person who types"),
    Token("user_bubble", "text", "what that person said", key="user_bubble_fg", background_key="user_bubble_bg"),
    Token("assistant", "accent", "name and mark of the other side"),
    Token("thought", "muted", "what the other side says to itself"),
    Token("tool", "accent", "names of steps that the other side takes"),
    Token("tool_out", "muted", "what such a step printed"),
    Token("spinner", "assistant", "the working row"),
    Token("status", "muted", "the status bar", key="status_fg", background_key="status_bg"),
    Token("editor", "text", "what is being typed", key="editor_fg", background_key="editor_bg"),
    Token("placeholder", "dim", "what an empty input says", SEEN),
    Token("diff.added", "success", "lines that came"),
    Token("diff.removed", "error", "lines that went"),
    Token("diff.context", "muted", "lines that stayed"),
    Token("diff.header", "accent", "names of files, places of hunks"),
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
    Token("syntax.text", "markdown.code_block", "code that is nothing else below"),
    Token("syntax.keyword", "syntax.text", "keywords"),
    Token("syntax.keyword_constant", "syntax.keyword", "true, null and their like"),
    Token("syntax.keyword_declaration", "syntax.keyword", "var, def and their like"),
    Token("syntax.keyword_namespace", "syntax.keyword", "import, package and their like"),
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
    """The token `name` and those it falls back on, ending in `text`; KeyError for a name that no token has."""
    chain = [BY_NAME[name]]
    while chain[-1].fallback:
        chain.append(BY_NAME[chain[-1].fallback])
    return chain
