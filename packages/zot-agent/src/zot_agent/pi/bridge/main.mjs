// Runs extensions that were written for pi or Atomic as one extension of zot: `node main.mjs EXTENSION...`.
// With `--describe` it loads them without zot and prints what they register as one line of JSON.

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20) {
  process.stderr.write(`extensions written for pi need a newer Node than ${process.versions.node}; install Node 22.19 or newer from https://nodejs.org\n`);
  process.exit(1);
}
if (process.env.ZOT_PI_CACHE && (major > 22 || (major === 22 && minor >= 1))) {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache(`${process.env.ZOT_PI_CACHE}/node`);
}

const paths = process.argv.slice(2).filter((each) => !each.startsWith("--"));
if (process.argv.includes("--describe")) {
  const { describe } = await import("./load/describe.mjs");
  await describe(paths);
} else {
  const { run } = await import("./api/bridge.mjs");
  await run(paths);
}
