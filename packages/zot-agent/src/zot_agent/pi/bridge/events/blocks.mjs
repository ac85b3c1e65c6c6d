// What the person has to decide before the agent goes on, as Atomic tells of it: `agent_blocked` and `agent_unblocked`.

export class Blocks {
  #observed;
  #open = [];
  #last = 0;

  /** @param {import("./observed.mjs").Observed} observed */
  constructor(observed) {
    this.#observed = observed;
  }

  /** @param {string} label @param {string} reason
   * @returns {{id: number, label: string, reason: string, released: boolean, release(): void}} */
  open(label, reason) {
    const block = { id: ++this.#last, label, reason };
    this.#open.push(block);
    this.#tell("agent_blocked", block);
    const release = () => {
      if (!this.#open.includes(block)) return;
      this.#open = this.#open.filter((each) => each !== block);
      this.#tell("agent_unblocked", block);
    };
    const isOpen = () => this.#open.includes(block);
    return { ...block, get released() { return !isOpen(); }, release };
  }

  #tell(type, { id, label, reason }) {
    this.#observed.tell({ type, blockId: id, label, reason, openBlocks: this.#open.length, activeLabel: this.#open[0]?.label });
  }
}
