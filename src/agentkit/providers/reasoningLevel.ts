import type { ReasoningLevel } from '../model.ts';

const fromLowest: readonly ReasoningLevel[] = ['off', 'minimal', 'low', 'medium', 'high'];

/**
 * The level to ask a model for: the one wanted, else the next higher it has, else the next lower. Undefined when none is wanted or the
 * model has none. Source: agent runtime contract, section 21.
 */
export function clampReasoning(
  wanted: ReasoningLevel | undefined,
  supported: readonly ReasoningLevel[],
): ReasoningLevel | undefined {
  if (wanted === undefined) return undefined;
  const from = fromLowest.indexOf(wanted);
  const upwards = fromLowest.slice(from);
  const downwards = fromLowest.slice(0, from).reverse();
  return [...upwards, ...downwards].find((level) => supported.includes(level));
}
