import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import type { PackingState } from '../new-nodes/packing-state.ts';
import { openNodeWith } from './first-fit.ts';

/** A pod group with the pools that it may use now: those of its heaviest weight. */
export interface HeaviestOptions {
  readonly podGroup: PodGroup;
  readonly options: readonly PoolOption[];
}

/** A pool that cannot take the pods, because of its limits or of rules on the hostname. */
export interface RefusedOption {
  readonly podGroup: PodGroup;
  readonly option: PoolOption;
}

/**
 * Packs each group onto its heaviest pools, and uses lighter pools only if the heavier ones cannot
 * take the pods. Weights are the user's order; prices decide between equal weights.
 *
 * @param pack - packs until every pod has its node (returns an empty list) or some options are
 *   refused
 */
export function packByWeight(
  state: PackingState,
  podGroups: readonly PodGroup[],
  pack: (candidates: readonly HeaviestOptions[]) => readonly RefusedOption[],
): void {
  const refusedOptions = new Set<PoolOption>();
  for (;;) {
    const candidates = podGroups.flatMap((podGroup) => listHeaviestOptions(podGroup, refusedOptions));
    const refusals = candidates.length > 0 ? pack(candidates) : [];
    if (refusals.length === 0) return;
    for (const { option } of refusals) refusedOptions.add(option);
    for (const { podGroup, option } of refusals) fillRefusedWeight(state, podGroup, option, refusedOptions);
  }
}

function listHeaviestOptions(podGroup: PodGroup, refusedOptions: ReadonlySet<PoolOption>): HeaviestOptions[] {
  const openOptions = podGroup.count > 0 ? podGroup.options.filter((option) => !refusedOptions.has(option)) : [];
  const weight = openOptions[0]?.template.pool.weight;
  const options = openOptions.filter(({ template }) => template.pool.weight === weight);
  return options.length > 0 ? [{ podGroup, options }] : [];
}

/**
 * Once no pool of a weight takes the pods by construction, its remaining room is filled before a
 * node of a lighter pool is opened.
 */
function fillRefusedWeight(
  state: PackingState,
  podGroup: PodGroup,
  { template: { pool } }: PoolOption,
  refusedOptions: ReadonlySet<PoolOption>,
): void {
  const sameWeight = podGroup.options.filter(({ template }) => template.pool.weight === pool.weight);
  if (sameWeight.some((option) => !refusedOptions.has(option))) return;
  for (const option of sameWeight) while (podGroup.count > 0 && openNodeWith(state, podGroup, option));
}
