"""The pages of a sign-in: the form for a key, and a message. HTML without scripts."""

from collections.abc import Iterable
from html import escape

_STYLE = """
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5b6270; --page: #f4f5f7; --card: #fff; --line: #c9ced6;
  --field: #80878f;  --accent: #1f5fd0; --on-accent: #fff; --bad: #b3261e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --soft: #a5adba; --page: #14161a; --card: #1e2126;
  --line: #4a515c; --field: #8a929e; --accent: #8ab4ff; --on-accent: #10131a; --bad: #ff9a92; --good: #6fdd8b; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 440px; padding: 32px; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.3; }
p { margin: 0 0 20px; color: var(--soft); }
label { display: block; margin: 0 0 6px; font-weight: 600; }
select, input { width: 100%; margin: 0 0 20px; padding: 10px 12px; border: 1px solid var(--field); border-radius: 8px;
  background: var(--card); color: var(--text); font: inherit; }
button { width: 100%; padding: 12px; border: 0; border-radius: 8px; background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.bad, .good { margin: 0 0 20px; padding: 10px 12px; border: 1px solid currentColor; border-radius: 8px; }
.bad { color: var(--bad); }
.good { color: var(--good); }
main > :last-child { margin-bottom: 0; }
.note { margin: 20px 0 0; font-size: 14px; }
"""


def key_form(providers: Iterable[tuple[str, str]], chosen: str, guard: str, error: str = "") -> str:
    """Return the page with the form for a key.

    `providers` are ids and titles, `chosen` the id that is selected, `guard` a secret that the form sends back.
    """
    options = "".join(
        f'<option value="{escape(id)}"{" selected" if id == chosen else ""}>{escape(title)}</option>'
        for id, title in providers
    )
    problem = f'<p class="bad" role="alert" id="problem">{escape(error)}</p>' if error else ""
    described = ' aria-describedby="problem" aria-invalid="true"' if error else ""
    return _page(
        "Add an API key",
        f"""<h1>Add an API key</h1>
<p>zot on this machine waits for the key. It is sent to the provider and to nobody else.</p>
{problem}<form method="post" action="/key" autocomplete="off">
<input type="hidden" name="guard" value="{escape(guard)}">
<label for="provider">Provider</label>
<select id="provider" name="provider"{"" if chosen else " autofocus"}>{options}</select>
<label for="key">API key</label>
<input id="key" name="key" type="password" required spellcheck="false" autocomplete="off"\
{" autofocus" if chosen else ""}{described}>
<button type="submit">Check and store</button>
</form>
<p class="note">The key is checked with one request that costs nothing, then stored in the keyring of this system or in
a file that only you can read.</p>""",
    )


def message_page(title: str, text: str, *, good: bool = True) -> str:
    """Return a page with a heading and a sentence."""
    role = "status" if good else "alert"
    kind = "good" if good else "bad"
    return _page(title, f'<h1>{escape(title)}</h1>\n<p class="{kind}" role="{role}">{escape(text)}</p>')


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)} - zot</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )
