/** What has just appeared under somebody's finger decides nothing yet. */
const settleMs = 600;

/** Whether something has been on the screen long enough to be pressed. Made when it appears. */
export class Settling {
  #appearedAt: number | undefined;

  constructor() {
    requestAnimationFrame((now) => {
      this.#appearedAt = now;
    });
  }

  get isOver(): boolean {
    return this.#appearedAt !== undefined && performance.now() - this.#appearedAt >= settleMs;
  }
}
