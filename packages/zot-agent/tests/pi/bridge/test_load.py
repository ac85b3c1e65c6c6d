"""How the code of extensions is compiled and kept, and what is said of it when it is loaded."""

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from zot_agent.pi.runtime import BRIDGE
from zot_ext.protocol.from_extension import Notify
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]

WHOLE = r"""#!/usr/bin/env node
    import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
    import { VERSION } from "@earendil-works/pi-coding-agent";
    import * as part from "./part.ts";
    import { back, type Shape } from "./part.js";
    export * from "./part.ts";

    enum Size { Small = 1, Large }
    const enum Colour { Red = "red" }
    class Point { constructor(private readonly x: number, public y = 2) {}
      sum(this: Point): number { return this.x + this.y; } }
    const __dirname = "declared again";
    const script = `
    require("fs");
    `;
    const built = `
module.exports = __toCommonJS(built_exports);
var import_fs = require("fs");`;

    export default async function (pi: ExtensionAPI) {
      const late = await import("./late.ts");
      const shape: Shape = { size: Size.Large };
      const path = new URL("./late.ts", import.meta.url);
      const again = await import(path as any);
      const old = require("./old.cjs");
      pi.registerCommand("tell", { handler: async (_, ctx) => ctx.ui.notify([
        shape.size, Colour.Red, new Point(1).sum(), part.cyclic(), back, late.default, again.default === late.default,
        old.name, script.trim(), built.length, import.meta.dirname === process.cwd(), __dirname,
        VERSION.split(".").length,
      ].join(" ")) });
      pi.registerCommand("fail", { handler: async (_, ctx) => ctx.ui.notify(new Error("here").stack!) });
    }
"""
PARTS = {
    "part.ts": """
        import { deeper } from "./cycle.ts";
        export interface Shape { size: number }
        export const back = "back";
        export const cyclic = () => deeper();
    """,
    "cycle.ts": """
        import { back } from "./part.ts";
        export const deeper = () => `${back} again`;
    """,
    "late.ts": """
        const waited: string = await Promise.resolve("waited");
        export default waited;
    """,
    "old.cjs": "exports.name = 'old';",
}


def write(folder: Path) -> None:
    for name, text in PARTS.items():
        (folder / name).write_text(textwrap.dedent(text))


def told(host: FakeHost, command: str) -> str:
    host.command(command)
    return host.wait_for(Notify).message


def test_what_typescript_and_modules_can_do_works_when_it_is_compiled_and_when_it_was(
    bridge: Bridge, tmp_path: Path
) -> None:
    write(tmp_path)
    for _ in ("compiled", "kept"):
        expected = '2 red 3 back again back waited true old require("fs"); 77 true declared again 3'
        assert told(bridge(WHOLE), "tell") == expected
    (tmp_path / "cycle.ts").write_text("export const deeper = () => 'another';")
    assert " another back " in told(bridge(WHOLE), "tell")


def test_the_stack_of_an_error_has_the_lines_of_the_source(bridge: Bridge, tmp_path: Path) -> None:
    write(tmp_path)
    (line,) = [number for number, text in enumerate(textwrap.dedent(WHOLE).split("\n"), 1) if 'Error("here")' in text]
    for _ in ("compiled", "kept"):
        assert f"extension.ts:{line}:" in told(bridge(WHOLE), "fail").split("\n")[1]


def test_code_that_was_kept_and_is_damaged_is_compiled_again(
    bridge: Bridge, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(tmp_path)
    assert told(bridge(WHOLE), "tell")
    kept = list((tmp_path_factory.getbasetemp() / "pi-cache" / "compiled").iterdir())
    assert kept
    for path in kept:
        path.write_text('{"format": 1, "fil')
    assert told(bridge(WHOLE), "tell").startswith("2 red")


def test_extensions_begin_in_their_order_and_none_waits_for_the_end_of_another(bridge: Bridge) -> None:
    first = """
        const { promise, resolve } = Promise.withResolvers();
        globalThis.begun = ["first"];
        globalThis.second = resolve;
        export default async (pi) => {
          globalThis.begun.push("first");
          await promise;
          pi.registerCommand("tell", { handler: async (_, ctx) => ctx.ui.notify(globalThis.begun.join()) });
        };
    """
    second = 'export default () => { globalThis.begun.push("second"); globalThis.second(); };'
    assert told(bridge(first, second), "tell") == "first,first,second"


def test_an_extension_is_told_which_values_and_members_are_not_there_without_being_run(bridge: Bridge) -> None:
    source = """
        import * as whole from "@earendil-works/pi-coding-agent";
        import { newThing, VERSION, type NewType } from "@earendil-works/pi-coding-agent";
        import { NewWidget } from "@earendil-works/pi-tui";
        import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
        export { newType } from "@earendil-works/pi-coding-agent";
        export default function (pi: ExtensionAPI) {
          if (typeof whole.perhaps === "function") whole.perhaps();
          pi.registerCommand("go", { handler: async (args: string, ctx: ExtensionContext) => {
            if (args === "never") { pi.registerNothing(); ctx.forget(); ctx.ui.sing(); ctx.ui.notify(VERSION); }
            pi.maybe?.(); // pi.commented()
            try { newThing(); } catch (error) { ctx.ui.notify(error.message); }
          } });
          pi.on("agent_end", async () => {
            const { laterThing: thing, VERSION } = await import("@earendil-works/pi-coding-agent");
            const ai = await import("@earendil-works/pi-ai");
            thing(new NewWidget(), VERSION, ai.askLater());
          });
        }
    """
    host = bridge(source)
    of_pi = "a value of @earendil-works/pi-coding-agent that zot does not have"
    assert host.wait_for(Notify).message == (
        f"extension uses what is not there outside of pi: newThing ({of_pi}), "
        "NewWidget (a value of @earendil-works/pi-tui that zot does not have), "
        f"laterThing ({of_pi}), askLater (a value of @earendil-works/pi-ai that zot does not have), "
        "pi.registerNothing, "
        "ctx.forget, ctx.ui.sing"
    )
    host.command("go")
    said = host.wait_for(Notify, lambda note: "outside of pi: it" in note.message).message
    assert said == f"newThing is not there outside of pi: it is {of_pi}"


def test_paths_of_pi_have_an_answer_while_an_extension_loads_and_missing_texts_are_named(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
        import { getDocsPath, getPackageDir } from "@earendil-works/pi-coding-agent";
        const paths = [getPackageDir(), getDocsPath()].join();
        export default (pi) => pi.registerCommand("tell", { handler: async (_, ctx) => ctx.ui.notify(paths) });
    """
    host, folder = bridge(source), Path(BRIDGE).parent
    missing = "extension uses what is not there outside of pi: getDocsPath (pi's own files)"
    assert host.wait_for(Notify).message == missing
    host.command("tell")
    assert host.wait_for(Notify, lambda note: note.message == f"{folder},{folder / 'docs'}")
    monkeypatch.setenv("PI_PACKAGE_DIR", "~/pi")
    host = bridge(source)
    host.command("tell")
    assert host.wait_for(Notify, lambda note: note.message.startswith(f"{Path.home()}/pi,"))


def test_a_message_names_the_package_that_names_only_this_file(bridge: Bridge, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "@acme/tools", "pi": {"extensions": ["./extension.ts"]}}')
    host = bridge("export default function (pi: any) { throw new Error('no'); }")
    assert "@acme/tools" in host.wait_for(Notify).message


def test_all_that_atomic_exports_is_there_or_names_itself(bridge: Bridge) -> None:
    table = (Path(BRIDGE).parent / "load" / "atomic-names.mjs").read_text().split("`")[3].split()
    assert len(table) == 254
    source = """
        import * as atomic from "@bastani/atomic";
        export default function (pi) {
          pi.registerCommand("tell", { handler: async (_, ctx) => {
            const wrong = [];
            for (const name of NAMES) {
              if (atomic[name] === undefined) wrong.push(`${name} is not there`);
            }
            for (const name of ["ChatSessionHost", "InteractiveMode"]) {
              for (const use of [() => atomic[name](), () => new atomic[name](), 
                () => new (class extends atomic[name] {})(),
                () => atomic[name].create()]) {
                try { use(); wrong.push(`${name} does nothing`); } catch (error) {
                  if (!error.message.startsWith(`${name} is not there`)) wrong.push(error.message);
                }
              }
            }
            ctx.ui.notify(wrong.join("\\n") || "all");
          } });
        }
    """
    assert told(bridge(source.replace("NAMES", str(table))), "tell") == "all"


UNFLATTENED = """
    import { unflattenArgumentsWithSchema as whole, getEnvValue, createGitEnvironment } from "@bastani/atomic";
    export default function (pi) {
      pi.registerCommand("tell", { handler: async (_, ctx) => {
        const schema = { properties: { "a.b": {}, to: { type: "object" } } };
        const given = { "a.b": 1, "items[1].name": "x", "to.city": "Leith", "x.y": 2, "__proto__[0].z": 3 };
        process.env.PI_HARBOUR = "Leith";
        process.env.GIT_DIR = "/elsewhere";
        ctx.ui.notify(JSON.stringify([whole(given, schema), getEnvValue("ATOMIC_HARBOUR"),
          createGitEnvironment().GIT_DIR]));
      } });
    }
"""


def test_functions_of_atomic_put_arguments_together_and_read_its_variables(bridge: Bridge) -> None:
    whole = '{"a.b":1,"items":[null,{"name":"x"}],"to":{"city":"Leith"},"x.y":2}'
    assert told(bridge(UNFLATTENED), "tell") == f'[{whole},"Leith",null]'


def test_a_file_of_pi_tui_is_found_by_its_path(bridge: Bridge) -> None:
    source = """
        import { visibleWidth } from "@mariozechner/pi-tui/dist/utils.js";
        import * as tui from "@earendil-works/pi-tui";
        export default function (pi) {
          const same = visibleWidth === tui.visibleWidth;
          pi.registerCommand("tell", { handler: async (_, ctx) => ctx.ui.notify(`${visibleWidth("four")} ${same}`) });
        }
    """
    assert told(bridge(source), "tell") == "4 true"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ('import "@bastani/atomic-natives";', "needs @bastani/atomic-natives, a part of Atomic's own program, which"),
        (
            'import "not-installed/deep";',
            "needs the npm package not-installed, which is not installed: run npm install",
        ),
        ('require("./built.node");', "needs a native part for linux-.*, which is not there: ./built.node; it is built"),
        (
            'import "@x/drawing-linux-x64";',
            "needs a native part for linux-.*, which is not there: @x/drawing-linux-x64",
        ),
    ],
)
def test_a_part_that_is_not_there_is_named_with_what_brings_it(bridge: Bridge, source: str, why: str) -> None:
    said = bridge(f"{source}\nexport default () => {{}};").wait_for(Notify).message
    assert re.match(f"extension cannot be used: {why}", said), said


def test_a_program_that_an_extension_starts_finds_the_modules_of_the_bridge(bridge: Bridge) -> None:
    source = """
        import { execFileSync } from "node:child_process";
        import { createRequire } from "node:module";
        export default function (pi) {
          pi.registerCommand("tell", { handler: async (_, ctx) => {
            const here = createRequire("/tmp/package.json").resolve("jiti/package.json");
            const there = execFileSync(process.execPath, ["-p", "require.resolve('jiti/package.json')"]);
            ctx.ui.notify(`${here === String(there).trim()}`);
          } });
        }
    """
    assert told(bridge(source), "tell") == "true"


def test_a_widget_of_atomic_is_there_while_it_has_lines_and_failures_of_models_have_kinds(bridge: Bridge) -> None:
    source = """
        import {
          installReactiveWidget, isRetryableModelFailure as some, isRetryableSameModelFailure as same,
          nextRetryDecision as next, normalizeModelFailureSignal,
        } from "@bastani/atomic";
        export default function (pi) {
          pi.registerCommand("tell", { handler: async (_, ctx) => {
            const [seen, listeners] = [[], []];
            let lines = [];
            const widget = installReactiveWidget({
              key: "w", getSnapshot: () => lines, getPreviewLines: (all) => all, render: (all) => all,
              subscribe: (listener) => { listeners.push(listener); return () => seen.push("left"); },
              ui: {
                setWidget: (key, made) => seen.push(made ? made({}, {}).render(9).join() : "none"),
                requestRender: () => seen.push("drawn"),
              },
            });
            for (const given of [["a"], ["a"], ["b"], [], ["c"]]) { lines = given; listeners[0](); }
            widget.dispose();
            const failures = ["429 rate limit", "fetch failed", "bad api key", "model x not found", "aborted", "odd"];
            const settings = { enabled: true, maxRetries: 2, baseDelayMs: 100 };
            ctx.ui.notify(JSON.stringify([
              seen, failures.map((each) => normalizeModelFailureSignal(new Error(each)).kind).join(" "),
              failures.map((each) => Number(some(each)) + Number(same(each))).join(""),
              next(settings, 1, true), next(settings, 2, true) ?? "no more",
            ]));
          } });
        }
    """
    seen, kinds, retries, decision, last = json.loads(told(bridge(source), "tell"))
    assert seen == ["a", "drawn", "none", "c", "left", "none"]
    assert kinds == "rate_limit transport_error auth_on_candidate_provider model_unavailable cancelled unknown"
    assert (retries, decision, last) == ("221100", {"attempt": 2, "delayMs": 200}, "no more")
