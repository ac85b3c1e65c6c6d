// Tokens, money and time in words.

export const short = (count) => (count >= 1e6 ? `${(count / 1e6).toFixed(1)}M` : count >= 1000 ? `${Math.round(count / 1000)}k` : String(count));

// The tokens that a model has read.
export const read = (usage) => usage.input + usage.cache_read + usage.cache_write;

// What it costs, as a list without anything if the price is unknown.
export const cost = ({ cost_usd: dollars }) => (dollars === null ? [] : [`$${dollars.toFixed(3)}`]);

function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${seconds < 9.95 ? seconds.toFixed(1) : whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// What is said at the end of a run.
export function worked({ seconds, usage, files, added, removed }) {
  const lines = added || removed ? ` +${added} −${removed}` : "";
  return [
    `Worked for ${duration(seconds)}`,
    ...(read(usage) ? [`${short(read(usage))} tokens read, ${short(usage.output)} written`] : []),
    ...(usage.cost_usd ? cost(usage) : []),
    ...(files ? [`${files} file${files === 1 ? "" : "s"} changed${lines}`] : []),
  ].join(" · ");
}
