// `--describe`: what extensions register, without zot, for a manifest.

import { createApi } from "../api/api.mjs";
import { nameInZot } from "../api/names.mjs";
import { allEntries, load } from "./loader.mjs";

const jsonOnly = (value) => JSON.parse(JSON.stringify(value, (_, each) => (typeof each === "function" ? undefined : each)));

/** Prints one line of JSON: `extensions`, each with its registrations or an `error`, and `errors`.
 * @param {string[]} given */
export async function describe(given) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const { entries, errors } = allEntries(given);
  const extensions = [];
  for await (const found of load(entries, (each) => createApi(null, each))) {
    extensions.push({
      name: found.name, path: found.entry, error: found.error, missing: found.missing,
      tools: [...found.tools.keys()], commands: [...found.commands.keys()], events: [...found.handlers.keys()],
      shortcuts: [...found.shortcuts.keys()],
      flags: [...found.flags.values()].map(({ name, type, default: value, description }) => ({ name, type, default: value, description })),
      providers: Object.fromEntries([...found.providers].map(([name, config]) => [
        nameInZot(name), { ...jsonOnly(config), stream: typeof config.streamSimple === "function", oauth: config.oauth?.name },
      ])),
    });
  }
  write(`${JSON.stringify({ extensions, errors })}\n`, () => process.exit(0));
}
