"""`DoctorLine`: a line in the report of `zot doctor` and `zot ext doctor`."""

import textwrap

from zot_provider.record import Record
from zot_tui.text.sanitize import sanitize_line


class DoctorLine(Record):
    """A line of the report. The state is "ok", "--" for something optional that is missing, or "no" for a problem."""

    state: str
    topic: str
    text: str

    def lines(self, width: int) -> str:
        """Return the line, wrapped between words at `width` columns, and safe for a terminal."""
        text = " ".join(sanitize_line(self.text).split())
        head, rest = f"{self.state:<4}{sanitize_line(self.topic):<17} ", " " * 22
        folded = textwrap.wrap(
            text, width, initial_indent=head, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
        )
        return "\n".join(folded or [head]) + "\n"
