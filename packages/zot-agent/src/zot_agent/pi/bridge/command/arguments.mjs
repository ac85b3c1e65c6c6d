// The arguments of pi as arguments of zot.

import fs from "node:fs";

/** Names of zot for flags of pi; null where zot does so anyway. */
const FLAGS = {
  "--no-session": "--no-session", "--continue": "--continue", "-c": "--continue", "--approve": "--trust", "-a": "--trust",
  "--no-tools": "--no-tools", "-nt": "--no-tools", "--no-extensions": "--no-ext", "-ne": "--no-ext",
  "--no-skills": "--no-skills", "-ns": "--no-skills", "--no-context-files": "-nc", "-nc": "-nc",
  "--print": null, "-p": null, "--no-approve": null, "-na": null, "--no-themes": null, "--no-prompt-templates": null,
  "-np": null, "--offline": null, "--verbose": null,
};
const VALUES = {
  "--provider": "--provider", "--model": "--model", "--api-key": "--api-key", "--thinking": "--reasoning",
  "--session": "--session", "--extension": "--ext", "-e": "--ext",
};
/** Options whose value is a text, or a file that has it. */
const TEXTS = new Set(["--system-prompt", "--append-system-prompt"]);
const BUILT_IN = new Set(["read", "bash", "edit", "write", "grep", "find", "ls"]);

/** @param {string[]} given @returns {{args: string[], json: boolean, model: string}} Throws for what zot does not have. */
export function toZot(given) {
  const args = [];
  const prompts = [];
  let [json, model, first] = [false, "", ""];
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at];
    const value = () => {
      if ((at += 1) >= given.length) throw new Error(`${word} needs a value`);
      return given[at];
    };
    if (word === "--mode") {
      const mode = value();
      if (mode !== "json" && mode !== "text") throw new Error(`zot has no --mode ${mode} of pi`);
      json = mode === "json";
    } else if (word === "--tools" || word === "-t") {
      const names = value().split(",").map((each) => each.trim()).filter((each) => BUILT_IN.has(each));
      args.push(...(names.length ? ["--tools", names.join(",")] : ["--no-tools"]));
    } else if (word === "--models") {
      [first] = value().split(",").map((each) => each.trim()); // the models of a key of the screen; the first one answers
    } else if (TEXTS.has(word)) {
      args.push(word, textOrFile(value()));
    } else if (Object.hasOwn(VALUES, word)) {
      args.push(VALUES[word], value());
      if (word === "--model") model = given[at];
    } else if (Object.hasOwn(FLAGS, word)) {
      if (FLAGS[word]) args.push(FLAGS[word]);
    } else if (word.startsWith("@")) {
      args.push(word);
    } else if (word.startsWith("-")) {
      throw new Error(`zot has no ${word} of pi`);
    } else {
      prompts.push(word);
    }
  }
  if (first && !model && !/[*?[]/.test(first)) {
    model = first;
    args.push("--model", model);
  }
  return { args: [json ? "--json" : "--print", ...args, "--", prompts.join("\n\n")], json, model };
}

function textOrFile(given) {
  return fs.existsSync(given) ? fs.readFileSync(given, "utf8") : given;
}
