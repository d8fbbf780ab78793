import type { PoolOption, PodGroup } from '../../assignment/pod-groups.ts';
import type { PackingState } from '../new-nodes/packing-state.ts';
import { openWith } from './first-fit.ts';

/** A unit with the pools that it may use now: those of its heaviest weight. */
export interface Choice {
  readonly unit: PodGroup;
  readonly options: readonly PoolOption[];
}

/** A pool whose limits, or rules on hosts, keep some pods out. */
export interface Refusal {
  readonly unit: PodGroup;
  readonly option: PoolOption;
}

/**
 * Packs onto the heaviest pools that each unit may use, and turns to lighter ones only where those
 * refuse: weights are the user's order, prices decide among equals.
 *
 * @param pack - packs until every pod has its node (none is returned then) or some are refused
 */
export function packByWeight(
  drafting: PackingState,
  units: readonly PodGroup[],
  pack: (choices: readonly Choice[]) => readonly Refusal[],
): void {
  const givenUp = new Set<PoolOption>();
  for (;;) {
    const choices = units.flatMap((unit) => choicesOf(unit, givenUp));
    const refused = choices.length > 0 ? pack(choices) : [];
    if (refused.length === 0) return;
    for (const { option } of refused) givenUp.add(option);
    for (const { unit, option } of refused) exhaust(drafting, unit, option, givenUp);
  }
}

function choicesOf(unit: PodGroup, givenUp: ReadonlySet<PoolOption>): Choice[] {
  const open = unit.count > 0 ? unit.options.filter((option) => !givenUp.has(option)) : [];
  const weight = open[0]?.template.pool.weight;
  const options = open.filter(({ template }) => template.pool.weight === weight);
  return options.length > 0 ? [{ unit, options }] : [];
}

/**
 * Once all pools of a weight have refused the pods, what they still have goes to those that would
 * else open a node of a lighter pool.
 */
function exhaust(
  drafting: PackingState,
  unit: PodGroup,
  { template: { pool } }: PoolOption,
  givenUp: ReadonlySet<PoolOption>,
): void {
  const equals = unit.options.filter(({ template }) => template.pool.weight === pool.weight);
  if (equals.some((option) => !givenUp.has(option))) return;
  for (const option of equals) while (unit.count > 0 && openWith(drafting, unit, option));
}
