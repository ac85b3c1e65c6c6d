"""A small program, `tally COMMAND NUMBER...`, in five languages: what the tasks are made of."""

from languages.c import C
from languages.go import GO
from languages.javascript import JAVASCRIPT
from languages.language import Language
from languages.python import PYTHON
from languages.shell import SHELL

__all__ = ["LANGUAGES", "Language"]

LANGUAGES = (PYTHON, JAVASCRIPT, GO, C, SHELL)
