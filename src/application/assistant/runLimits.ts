import type { RunCeilings, Usage } from '../../agentkit/index.ts';
import type { ModelPrice } from '../settings.ts';

/** What one run may use with one model. */
export interface RunLimits {
  readonly ceilings: RunCeilings;
  /** In the currency of the price table; undefined when the model has no price. */
  readonly price: ((usage: Usage) => number) | undefined;
}

/** Whether the ceiling of cost can be kept. Views say when it cannot. Source: agent runtime contract, section 3.5. */
export type CostCeiling = 'off' | 'enforced' | 'noPrice';

export function runLimits(
  settings: {
    readonly runCeilings: RunCeilings;
    readonly prices: Readonly<Record<string, ModelPrice>>;
  },
  modelRef: string,
): RunLimits {
  const price = settings.prices[modelRef];
  return { ceilings: settings.runCeilings, price: price && ((usage) => costOf(price, usage)) };
}

export function costCeiling({ ceilings, price }: RunLimits): CostCeiling {
  if (ceilings.cost === undefined) return 'off';
  return price === undefined ? 'noPrice' : 'enforced';
}

const perMillion = 1_000_000;

/** Input figures hold what came from and went into a cache; what has no price of its own costs as other input. */
function costOf(price: ModelPrice, usage: Usage): number {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const cost =
    plain * price.input +
    cachedInputTokens * (price.cachedInput ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    outputTokens * price.output;
  return cost / perMillion;
}
