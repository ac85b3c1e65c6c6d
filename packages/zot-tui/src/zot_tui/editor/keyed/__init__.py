"""Editor modes as data: keys with the steps that they do. `read` reads them, `mode` runs them; `vi.json` is vi."""
