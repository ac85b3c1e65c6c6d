// typebox, as far as extensions need it to describe parameters. The published package takes 190 ms to load, so it is
// loaded for the rest only.

import { wholeTypebox } from "../load/modules.mjs";

const mark = (schema, name, value) => Object.defineProperty(schema, name, { value, enumerable: false, configurable: true, writable: true });
const kind = (name, schema) => mark(schema, "~kind", name);
const simple = (name, type) => (options = {}) => kind(name, { type, ...options });

/** Copies a schema with its hidden marks. */
const copy = (schema) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));

function object(properties, options = {}) {
  const required = Object.keys(properties).filter((name) => !properties[name]?.["~optional"]);
  return kind("Object", { type: "object", ...(required.length ? { required } : {}), properties, ...options });
}

const BUILT = {
  Any: (options = {}) => kind("Any", { ...options }),
  Unknown: (options = {}) => kind("Unknown", { ...options }),
  String: simple("String", "string"),
  Number: simple("Number", "number"),
  Integer: simple("Integer", "integer"),
  Boolean: simple("Boolean", "boolean"),
  Null: simple("Null", "null"),
  Literal: (value, options = {}) => kind("Literal", { type: typeof value, const: value, ...options }),
  Array: (items, options = {}) => kind("Array", { type: "array", items, ...options }),
  Object: object,
  Union: (anyOf, options = {}) => kind("Union", { anyOf, ...options }),
  Enum: (values, options = {}) => kind("Enum", { enum: Array.isArray(values) ? values : Object.values(values), ...options }),
  Record: (_, value, options = {}) => kind("Record", { type: "object", patternProperties: { "^.*$": value }, ...options }),
  Optional: (schema) => mark(copy(schema), "~optional", true),
  Unsafe: (schema = {}) => mark(copy(schema), "~unsafe", null),
};

/** @type {any} */
export const Type = new Proxy(BUILT, {
  get: (built, name) => {
    if (Object.hasOwn(built, name)) return built[name];
    if (typeof name !== "string" || !/^[A-Z]/.test(name)) return undefined; // `then`, which imports ask for
    return wholeTypebox().Type?.[name] ?? wholeTypebox()[name];
  },
});

export default Type;

const { Any, Unknown, Null, Literal, Union, Enum, Record, Optional, Unsafe, Integer } = BUILT;
const { String: text, Number: number, Boolean: truth, Array: list } = BUILT;
export { Any, Unknown, Null, Literal, Union, Enum, Record, Optional, Unsafe, Integer };
export { text as String, number as Number, truth as Boolean, list as Array, object as Object };
