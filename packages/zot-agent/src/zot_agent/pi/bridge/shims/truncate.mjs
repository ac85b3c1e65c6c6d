// Cutting the output of tools, as pi's own tools do.

export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
export const GREP_MAX_LINE_LENGTH = 500;

/** @param {number} bytes @returns {string} */
export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

const size = (text) => Buffer.byteLength(text, "utf8");

function result(text, kept, by, options, more = {}) {
  return {
    content: kept, truncated: by !== null, truncatedBy: by, totalLines: text.split("\n").length, totalBytes: size(text),
    outputLines: kept === "" && by !== null ? 0 : kept.split("\n").length, outputBytes: size(kept), lastLinePartial: false,
    firstLineExceedsLimit: false, ...options, ...more,
  };
}

function limits(options = {}) {
  return { maxLines: options.maxLines ?? DEFAULT_MAX_LINES, maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES };
}

/** Takes lines from an order until a limit is reached. */
function take(lines, { maxLines, maxBytes }) {
  const kept = [];
  let bytes = 0;
  for (const line of lines) {
    if (kept.length >= maxLines) return { kept, by: "lines" };
    const added = size(line) + (kept.length ? 1 : 0);
    if (bytes + added > maxBytes) return { kept, by: "bytes" };
    kept.push(line);
    bytes += added;
  }
  return { kept, by: null };
}

/** Keeps the first lines. @param {string} text @param {{maxLines?: number, maxBytes?: number}} [options] */
export function truncateHead(text, options) {
  const found = limits(options);
  const { kept, by } = take(text.split("\n"), found);
  const first = by === "bytes" && kept.length === 0;
  return result(text, by === null ? text : kept.join("\n"), by, found, { firstLineExceedsLimit: first });
}

/** Keeps the last lines; of a line that is too long, its end. */
export function truncateTail(text, options) {
  const found = limits(options);
  const { kept, by } = take(text.split("\n").reverse(), found);
  if (by === "bytes" && kept.length === 0) {
    const tail = Buffer.from(text, "utf8").subarray(-found.maxBytes).toString("utf8").replace(/^\uFFFD+/, "");
    return result(text, tail, by, found, { lastLinePartial: true });
  }
  return result(text, by === null ? text : kept.reverse().join("\n"), by, found);
}

/** @param {string} line @param {number} [most] */
export function truncateLine(line, most = GREP_MAX_LINE_LENGTH) {
  return line.length <= most ? { text: line, wasTruncated: false } : { text: `${line.slice(0, most)}... [truncated]`, wasTruncated: true };
}
