// Whether the arguments of a call are what the schema of its tool says.

/** @param {any} schema @param {any} value @param {string} name @returns {any} the arguments, with defaults and numbers
 * that were written as texts. Throws an `Error` that tells the model what is wrong. */
export function checked(schema, value, name) {
  const errors = [];
  const found = check(schema ?? {}, value, "", errors);
  if (errors.length) {
    const lines = errors.map((each) => `  - ${each}`).join("\n");
    throw new Error(`Validation failed for tool "${name}":\n${lines}\n\nReceived arguments:\n${JSON.stringify(value, null, 2)}`);
  }
  return found;
}

const KINDS = {
  string: (value) => typeof value === "string", boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number", integer: (value) => Number.isInteger(value),
  null: (value) => value === null, array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** What a model often writes in place of a value of another type. */
function converted(kind, value) {
  if (typeof value === "string" && (kind === "number" || kind === "integer") && value.trim() !== "" && !Number.isNaN(Number(value))) return Number(value);
  if (kind === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (kind === "string" && typeof value === "number") return String(value);
  return value;
}

function check(schema, given, at, errors) {
  const where = at || "root";
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    for (const each of choices) {
      const tried = [];
      const found = check(each, given, at, tried);
      if (tried.length === 0) return found;
    }
    errors.push(`${where}: must match one of the allowed types`);
    return given;
  }
  if ("const" in schema && given !== schema.const) errors.push(`${where}: must be ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(given)) errors.push(`${where}: must be one of ${schema.enum.map((each) => JSON.stringify(each)).join(", ")}`);
  const kinds = [schema.type ?? []].flat();
  if (kinds.length === 0) return given;
  const value = kinds.length === 1 ? converted(kinds[0], given) : given;
  if (!kinds.some((kind) => KINDS[kind]?.(value) ?? true)) {
    errors.push(`${where}: must be ${kinds.join(" or ")}`);
    return given;
  }
  if (KINDS.array(value)) return schema.items ? value.map((each, index) => check(schema.items, each, `${at}/${index}`, errors)) : value;
  return KINDS.object(value) ? members(schema, value, at, errors) : value;
}

function members(schema, value, at, errors) {
  const found = { ...value };
  for (const name of schema.required ?? []) if (!(name in value)) errors.push(`${at}/${name}: must have required property '${name}'`);
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    if (name in value) found[name] = check(each, value[name], `${at}/${name}`, errors);
    else if (each.default !== undefined) found[name] = each.default;
  }
  return found;
}
