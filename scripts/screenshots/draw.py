"""Draws the cells of a terminal as an SVG screenshot.

Every run of cells of one look is a `<text>` at its column, stretched to its width: a screenshot comes out the same with
any monospaced font. Blocks (`▌`, `█`) and lines (`│`, `─`) are drawn as shapes, since fonts leave gaps between their
rows. Fonts, sizes and the frame are here; the colours come from the terminal.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 19, 14
PADDING = 14
BASELINE = 14
BAR = 0.22
"""How wide the cursor is, of a cell: a bar, so that the character under it can be read."""
FONTS = "ui-monospace,'SF Mono',Menlo,'Cascadia Mono','DejaVu Sans Mono','Liberation Mono',Consolas,monospace"

NAMED = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
"""The 8 colours as pyte calls them; the bright ones have `bright` before the name."""


class Palette(NamedTuple):
    """The colours of a terminal: its paper, its ink, the window's edge, the 8 colours and the 8 bright ones."""

    paper: str
    ink: str
    edge: str
    colors: tuple[str, ...]


PALETTES = {
    "dark": Palette(
        "#16181d", "#d8dce4", "#3b404c",
        ("#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dce4",
         "#878f9e", "#ff9a94", "#b5e090", "#f0d399", "#8fb4ff", "#dfa6f0", "#7fd5e6", "#ffffff"),
    ),
    "light": Palette(
        "#ffffff", "#24292f", "#d0d7de",
        ("#24292f", "#b3141d", "#14652c", "#8a4600", "#0a50b0", "#6b3fa8", "#0b5e6b", "#e6e9ee",
         "#57606a", "#cf222e", "#1a7f37", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#ffffff"),
    ),
}  # fmt: skip


class Cell(NamedTuple):
    """One cell: its text (empty behind a wide character), colours as `#rrggbb`, and how it is set."""

    text: str
    ink: str
    paper: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False


class Run(NamedTuple):
    """Cells of one look beside each other: the first column, how many, and their text."""

    column: int
    cells: int
    text: str
    look: Cell


def color(name: str, default: str, palette: Palette) -> str:
    """What pyte says of a colour, as `#rrggbb`."""
    if name == "default":
        return default
    bright = name.startswith("bright")
    plain = name.removeprefix("bright")
    return palette.colors[NAMED.index(plain) + 8 * bright] if plain in NAMED else f"#{name}"


def runs(row: Sequence[Cell]) -> Iterator[Run]:
    """The runs of a row. A wide character is a run of its own, because fonts differ in its width; so is a shape."""
    start = 0
    while start < len(row):
        look, end = row[start]._replace(text=""), start + 1
        if end < len(row) and row[end].text == "":
            end += 1
        elif row[start].text in SHAPES:
            while SHAPES[row[start].text][2] == 1.0 and end < len(row) and row[end] == row[start]:
                end += 1
        else:
            while end < len(row) and row[end]._replace(text="") == look and row[end].text not in SHAPES:
                if row[end].text == "" or (end + 1 < len(row) and row[end + 1].text == ""):
                    break
                end += 1
        yield Run(start, end - start, "".join(cell.text for cell in row[start:end]), look)
        start = end


class Frame(NamedTuple):
    """What is seen for some seconds."""

    rows: Sequence[Sequence[Cell]]
    seconds: float


def moving(frames: Sequence[Frame], palette: Palette, title: str, about: str) -> str:
    """The SVG of a screen that changes, again and again. Each row is drawn once and shown in the frames that have it;
    who wants less movement sees the last frame."""
    total = sum(frame.seconds for frame in frames)
    starts = [sum(frame.seconds for frame in frames[:number]) / total * 100 for number in range(len(frames))]
    rows: dict[tuple[int, tuple[Cell, ...]], list[bool]] = {}
    for at, frame in enumerate(frames):
        for number, row in enumerate(frame.rows):
            rows.setdefault((number, tuple(row)), [False] * len(frames))[at] = True
    classes: dict[str, str] = {}
    timings: dict[tuple[bool, ...], str] = {}
    drawn = []
    for (number, cells), seen in rows.items():
        papers = [_paper(run, number) for run in _papers(cells, palette)]
        texts = [_ink(run, number, classes) for run in runs(cells) if run.text.strip() or run.look.underline]
        name = timings.setdefault(tuple(seen), f"k{len(timings)}")
        if papers or texts:
            last = "" if seen[-1] else " g"
            drawn.append(f'<g class="{name}{last}">{"".join([*papers, *texts])}</g>')
    rules = []
    for seen, name in timings.items():
        if not all(seen):
            changes = [at for at in range(len(frames)) if at == 0 or seen[at] != seen[at - 1]]
            steps = "".join(f"{starts[at]:.2f}%{{visibility:{'visible' if seen[at] else 'hidden'}}}" for at in changes)
            rules.append(f"@keyframes {name}{{{steps}}}.{name}{{animation:{name} {total:.1f}s step-end infinite}}")
    rules.append("@media (prefers-reduced-motion:reduce){g{animation:none!important}.g{visibility:hidden}}")
    size = (len(frames[0].rows[0]), len(frames[0].rows))
    return _document(size, palette, (title, about), classes, drawn, "".join(rules))


def screenshot(
    rows: Sequence[Sequence[Cell]], palette: Palette, title: str, about: str, cursor: tuple[int, int] | None
) -> str:
    """The SVG of a screen; `cursor` is its column and row, None if it is hidden."""
    classes: dict[str, str] = {}
    papers, texts = [], []
    for number, row in enumerate(rows):
        papers += [_paper(run, number) for run in _papers(row, palette)]
        texts += [_ink(run, number, classes) for run in runs(row) if run.text.strip() or run.look.underline]
    if cursor is not None:
        papers.append(_rect(cursor[0], cursor[1], BAR, palette.ink))
    return _document((len(rows[0]), len(rows)), palette, (title, about), classes, [*papers, *texts])


def _document(
    size: tuple[int, int],
    palette: Palette,
    said: tuple[str, str],
    classes: dict[str, str],
    drawn: Sequence[str],
    rules: str = "",
) -> str:
    width, height = round(size[0] * CELL_WIDTH + 2 * PADDING), size[1] * CELL_HEIGHT + 2 * PADDING
    style = "".join(f".{name}{{{looks}}}" for looks, name in classes.items()) + rules
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'xml:space="preserve" role="img" aria-labelledby="t d">',
        f'<title id="t">{escape(said[0])}</title>',
        f'<desc id="d">{escape(said[1])}</desc>',
        f"<style>text{{font:{FONT_SIZE}px {FONTS};white-space:pre;fill:{palette.ink}}}"
        f"rect~rect{{shape-rendering:crispEdges}}{style}</style>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{palette.paper}" '
        f'stroke="{palette.edge}"/>',
        *drawn,
        "</svg>",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _papers(row: Sequence[Cell], palette: Palette) -> Iterator[Run]:
    start = 0
    while start < len(row):
        end = start + 1
        while end < len(row) and row[end].paper == row[start].paper:
            end += 1
        if row[start].paper != palette.paper:
            yield Run(start, end - start, "", row[start])
        start = end


def _paper(run: Run, row: int) -> str:
    return _rect(run.column, row, run.cells, run.look.paper)


def _rect(column: float, row: float, cells: float, fill: str, more: str = "", height: float = CELL_HEIGHT) -> str:
    x, y = PADDING + column * CELL_WIDTH, PADDING + row * CELL_HEIGHT
    (left, width), (top, height) = _sharp(x, cells * CELL_WIDTH), _sharp(y, height)
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{fill}"{more}/>'


def _sharp(start: float, size: float) -> tuple[int, int]:
    """Where a side begins, and its size, in whole pixels. What meets still meets, and lines have the same thickness."""
    first = round(start)
    return first, round(size) if size < 2 else round(start + size) - first


def _ink(run: Run, row: int, classes: dict[str, str]) -> str:
    if run.text[:1] in SHAPES:
        return _shape(run, row)
    text = run.text.rstrip() if not (run.look.underline or run.look.strike) else run.text
    lead = len(text) - len(text.lstrip())
    text, column = text[lead:], run.column + lead
    cells = run.cells - lead - (len(run.text.rstrip()) < len(run.text)) * (len(run.text) - lead - len(text))
    look = run.look
    rules = f"fill:{look.ink}" + ";font-weight:700" * look.bold + ";font-style:italic" * look.italic
    lines = " ".join(["underline"] * look.underline + ["line-through"] * look.strike)
    rules += f";text-decoration:{lines}" if lines else ""
    name = classes.setdefault(rules, f"c{len(classes)}")
    x, y = PADDING + column * CELL_WIDTH, PADDING + row * CELL_HEIGHT + BASELINE
    stretched = f' textLength="{cells * CELL_WIDTH:g}"' if cells > 1 else ""
    return f'<text class="{name}" x="{x:g}" y="{y:g}"{stretched}>{escape(text)}</text>'


# Of a cell: left, top, width and height, in halves of a cell's width and height. Lines are half a step thick.
SHAPES = {
    "█": (0.0, 0.0, 1.0, 1.0),
    "▌": (0.0, 0.0, 0.375, 1.0),
    "▐": (0.5, 0.0, 0.5, 1.0),
    "▀": (0.0, 0.0, 1.0, 0.5),
    "▄": (0.0, 0.5, 1.0, 0.5),
    "│": (0.44, 0.0, 0.12, 1.0),
    "─": (0.0, 0.48, 1.0, 0.055),
}


def _shape(run: Run, row: int) -> str:
    left, top, width, height = SHAPES[run.text[0]]
    return _rect(run.column + left, row + top, width * run.cells, run.look.ink, "", height * CELL_HEIGHT)
