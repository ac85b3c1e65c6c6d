// Loaded into Node before an extension: what it fetches from the hosts of `PI_HOSTS` comes from the addresses there.

const hosts = Object.entries(JSON.parse(process.env.PI_HOSTS));
let { fetch } = globalThis;

function fetched(given, options) {
  const address = String(given?.url ?? given);
  const [host, instead] = hosts.find(([each]) => address.startsWith(each)) ?? [];
  if (host === undefined) return fetch(given, options);
  return fetch(instead.startsWith("data:") ? instead : instead + address.slice(host.length), options);
}

// pi puts a fetch of its own here.
Object.defineProperty(globalThis, "fetch", { configurable: true, get: () => fetched, set: (other) => { fetch = other; } });
