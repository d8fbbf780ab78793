import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import { findTypesHolding, type PodGroup, type PoolOption } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { createAllowance, listTypesWithinAllowance } from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { resolveMinValues } from '../../instance-types/min-values.ts';
import { addContents, createNewNode, type NewNode, narrowNode, replaceTypes } from './new-node.ts';
import { createPackingState, discardNewNode, openNewNode } from './packing-state.ts';
import { addPods, findFit, intersectWith } from './place-pods.ts';
import { resolveReserved } from './resolve-reserved.ts';

/**
 * Packs all pod groups onto one new node of the heaviest pool that has such a node; undefined if no
 * single node holds them.
 */
export function packOntoOneNode(problem: Problem, podGroups: readonly PodGroup[]): NewNode | undefined {
  const [first] = podGroups;
  const pack = podGroups.some(hasHostRules) ? packGroupByGroup : packTogether;
  for (const option of first?.options ?? []) {
    const newNode = pack(problem, podGroups, option);
    if (newNode) return resolveReserved(newNode, problem);
  }
  return undefined;
}

/**
 * True if rules depend on the other pods of the node: the groups are then placed one after the
 * other.
 */
const hasHostRules = ({ cls, topology }: PodGroup): boolean =>
  cls.spec.hostPorts.length > 0 ||
  cls.spec.resolved?.devices !== undefined ||
  topology.owned.some(({ group }) => group.key === HOSTNAME_LABEL) ||
  topology.barredBy.some(({ key }) => key === HOSTNAME_LABEL);

function packTogether(problem: Problem, podGroups: readonly PodGroup[], option: PoolOption): NewNode | undefined {
  const { pool, daemons, limited } = option.template;
  const newNode = createNewNode(option, problem);
  for (const podGroup of podGroups) {
    const other = podGroup.options.find(({ template }) => template === option.template);
    const shared = other && intersectWith(newNode, other);
    if (!shared) return undefined;
    narrowNode(newNode, shared);
    addContents(newNode, podGroup, podGroup.count);
  }
  const offered = intersection(newNode.types, problem.offerings.offered(newNode.where));
  const holding = intersection(offered, findTypesHolding(daemons, newNode.used, problem));
  if (isEmptyBitset(holding)) return undefined;

  const allowance = createAllowance(pool, problem.poolUsage.get(pool.name), problem.columns);
  if (allowance.nodes < 1) return undefined;
  const within = limited ? listTypesWithinAllowance(holding, allowance, undefined, problem) : holding;
  replaceTypes(newNode, within);
  if (isEmptyBitset(newNode.types)) return undefined;
  const minValues = resolveMinValues(option.template, newNode.types, problem);
  return minValues && { ...newNode, minValues };
}

function packGroupByGroup(problem: Problem, podGroups: readonly PodGroup[], option: PoolOption): NewNode | undefined {
  const state = createPackingState(problem);
  const newNode = openNewNode(state, option);
  if (!newNode) return undefined;
  const all = podGroups.every((podGroup) => {
    const copy = { ...podGroup };
    const joined = findFit(state, newNode, copy, copy.count);
    if (!joined || joined.room < copy.count) return false;
    addPods(state, newNode, copy, copy.count, joined);
    return true;
  });
  if (!all) discardNewNode(state, newNode);
  return all ? newNode : undefined;
}
