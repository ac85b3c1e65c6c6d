// How much a model thinks: pi's levels. zot has the same, one under another name.

export const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** pi takes these for levels of a model only where its map names them. */
const NAMED = ["xhigh", "max"];

export const toZot = (level) => (level === "minimal" ? "minimum" : level);
export const fromZot = (level) => (level === "minimum" ? "minimal" : level);

/** pi's map of the levels that a model of zot has. @param {string[]} levels of zot */
export const mapOf = (levels) => Object.fromEntries(LEVELS.map((each) => [each, levels.includes(toZot(each)) ? each : null]));

/** @param {any} model @returns {string[]} its levels, from the least to the greatest */
export function getSupportedThinkingLevels(model) {
  const has = (word, level) => word !== null && (word !== undefined || !NAMED.includes(level));
  return model.reasoning ? LEVELS.filter((each) => has(model.thinkingLevelMap?.[each], each)) : ["off"];
}

/** @param {any} model @param {string} level @returns {string} the level, or else the next greater one that the model has, or the next less */
export function clampThinkingLevel(model, level) {
  const at = LEVELS.indexOf(level);
  const order = at < 0 ? LEVELS : [...LEVELS.slice(at), ...LEVELS.slice(0, at).reverse()];
  const found = getSupportedThinkingLevels(model);
  return order.find((each) => found.includes(each)) ?? "off";
}

export const supportsXhigh = (model) => getSupportedThinkingLevels(model).includes("xhigh");
