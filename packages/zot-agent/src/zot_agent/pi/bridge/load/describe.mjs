// `--describe`: what extensions register, without zot, for a manifest.

import { createApi } from "../api/api.mjs";
import { unheard } from "./unavailable.mjs";
import { createRegistrations } from "../api/registrations.mjs";
import { explained, allEntries, load } from "./loader.mjs";

const jsonOnly = (value) => JSON.parse(JSON.stringify(value, (_, each) => (typeof each === "function" ? undefined : each)));

/** Prints one line of JSON: `extensions`, each with its registrations or an `error`, and `errors`.
 * @param {string[]} given */
export async function describe(given) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const { entries, errors } = allEntries(given);
  const extensions = [];
  for (const loaded of await load(entries)) {
    const found = createRegistrations(loaded);
    let { error } = loaded;
    if (loaded.factory) {
      try {
        await loaded.factory(createApi(null, found));
      } catch (failure) {
        error = explained(failure, loaded.entry);
      }
    }
    extensions.push({
      name: loaded.name, path: loaded.entry, error, missing: [...loaded.missing, ...unheard(found.handlers)],
      tools: [...found.tools.keys()], commands: [...found.commands.keys()], events: [...found.handlers.keys()],
      shortcuts: [...found.shortcuts.keys()],
      flags: [...found.flags.values()].map(({ name, type, default: value, description }) => ({ name, type, default: value, description })),
      providers: Object.fromEntries([...found.providers].map(([name, config]) => [
        name, { ...jsonOnly(config), stream: typeof config.streamSimple === "function", oauth: config.oauth?.name },
      ])),
    });
  }
  write(`${JSON.stringify({ extensions, errors })}\n`, () => process.exit(0));
}
