// Names of providers. In zot `PROVIDER/MODEL` must have one meaning, so a name has no slash and no space there.

/** The names that are others in zot, by what they are there. */
const others = new Map();

/** @param {string} name that an extension uses @returns {string} */
export function nameInZot(name) {
  const found = name.replace(/[/\s]+/g, "-");
  if (found !== name) others.set(found, name);
  return found;
}

/** @template T @param {T} name that zot uses @returns {T} */
export const nameInPi = (name) => others.get(name) ?? name;
