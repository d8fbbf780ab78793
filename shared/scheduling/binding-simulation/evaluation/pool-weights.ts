import { getOrCreate } from '../../../model/memo.ts';
import type { PoolOption } from '../../assignment/pod-groups.ts';
import { isEmptyBitset } from '../../data-structures/bitset.ts';
import {
  chargeNode,
  createAllowance,
  findMaxCapacities,
  listTypesWithinAllowance,
  type PoolAllowance,
} from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { resolveMinValues } from '../../instance-types/min-values.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { isTooLight, type NewNode } from '../../packing/new-nodes/new-node.ts';
import type { PackingState } from '../../packing/new-nodes/packing-state.ts';

/**
 * Counts the pods on nodes of a pool although a pool of higher weight could open a node for all
 * pods of the node. A pool could do so if its limits hold even when each of its nodes becomes the
 * largest of its types.
 */
export function countPodsOnLighterPools(packingState: PackingState): number {
  const tooLight = packingState.newNodes.filter(isTooLight);
  if (tooLight.length === 0) return 0;
  const canOpen = createOpenCheck(packingState);
  return tooLight
    .filter((newNode) => hasOpenHeavierPool(newNode, canOpen))
    .flatMap(({ podCounts }) => [...podCounts.values()])
    .reduce((total, pods) => total + pods, 0);
}

type CanOpen = (option: PoolOption) => boolean;

/** True if one pool of higher weight is open to every pod of the node. */
function hasOpenHeavierPool({ template, podCounts }: NewNode, canOpen: CanOpen): boolean {
  const [first = [], ...others] = [...podCounts.keys()].map(({ options }) =>
    options.filter((option) => option.template.pool.weight > template.pool.weight),
  );
  const isOpenTo = (options: readonly PoolOption[], heavier: NodeClaimTemplate): boolean =>
    options.some((option) => option.template === heavier && canOpen(option));
  return first.some((option) => canOpen(option) && others.every((options) => isOpenTo(options, option.template)));
}

/** Creates the test whether an option can open one more node beside the nodes of the packing. */
function createOpenCheck(packingState: PackingState): CanOpen {
  const { problem, allowances } = packingState;
  const allowancesLeft = new Map<string, PoolAllowance>();
  const findAllowance = ({ pool }: NodeClaimTemplate): PoolAllowance =>
    getOrCreate(allowancesLeft, pool.name, () => computeRemainingAllowance(packingState, pool, problem));
  return ({ template, types }) => {
    const allowance = allowances.has(template.pool.name) ? findAllowance(template) : undefined;
    if (!allowance) return resolveMinValues(template, types, problem) !== undefined;
    if (allowance.nodes < 1) return false;
    const within = listTypesWithinAllowance(types, allowance, undefined, problem);
    return !isEmptyBitset(within) && resolveMinValues(template, within, problem) !== undefined;
  };
}

/**
 * Recomputes what the limits leave: the charge of a new node is not reduced when its types become
 * smaller.
 */
function computeRemainingAllowance(
  { newNodes }: PackingState,
  pool: NodeClaimTemplate['pool'],
  problem: Problem,
): PoolAllowance {
  const allowance = createAllowance(pool, problem.poolUsage.get(pool.name), problem.columns);
  for (const { template, types } of newNodes) {
    if (template.pool.name !== pool.name) continue;
    chargeNode(allowance, findMaxCapacities(types, problem));
  }
  return allowance;
}
