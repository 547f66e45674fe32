import type { Usage } from './message.ts';

/** Limits the user may set per run; both off when absent. Source: agent runtime contract, section 3.5. */
export interface RunCeilings {
  readonly turns?: number;
  /** In the currency of the price table. */
  readonly cost?: number;
}

export interface ReachedCeiling {
  readonly unit: 'turns' | 'cost';
  readonly used: number;
  readonly limit: number;
  /** What going on allows beyond `used`. */
  readonly more: number;
}

/** Counts turns and cost against the allowance. Without a price the cost ceiling is not enforced; views say so. */
export class CeilingMeter {
  readonly #ceilings: RunCeilings;
  readonly #price: (usage: Usage) => number | undefined;
  #allowedTurns: number;
  #allowedCost: number;
  #turns = 0;
  #cost = 0;

  constructor(ceilings: RunCeilings, price: (usage: Usage) => number | undefined) {
    this.#ceilings = ceilings;
    this.#price = price;
    this.#allowedTurns = ceilings.turns ?? Infinity;
    this.#allowedCost = ceilings.cost ?? Infinity;
  }

  countTurn(usage: Usage | undefined): void {
    this.#turns++;
    this.countUsage(usage);
  }

  countUsage(usage: Usage | undefined): void {
    if (usage !== undefined) this.countCost(this.#price(usage) ?? 0);
  }

  countCost(cost: number): void {
    this.#cost += cost;
  }

  /** The ceiling that the next turn would pass. */
  reached(): ReachedCeiling | undefined {
    const { turns = Infinity, cost = Infinity } = this.#ceilings;
    if (this.#turns >= this.#allowedTurns)
      return { unit: 'turns', used: this.#turns, limit: this.#allowedTurns, more: turns };
    if (this.#cost >= this.#allowedCost)
      return { unit: 'cost', used: this.#cost, limit: this.#allowedCost, more: cost };
    return undefined;
  }

  /** Grants the same allowance again. */
  extend(unit: ReachedCeiling['unit']): void {
    if (unit === 'turns') this.#allowedTurns = this.#turns + (this.#ceilings.turns ?? Infinity);
    else this.#allowedCost = this.#cost + (this.#ceilings.cost ?? Infinity);
  }
}
