import type { ClaimChoice } from '../../model/plans.ts';
import { isOnDemandSpec } from '../assignment/on-demand-pods.ts';
import { findTypesHolding, type PodGroup, type PoolOption } from '../assignment/pod-groups.ts';
import { type Bitset, countBits, intersectInPlace, intersection } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import { findLowestUsd } from '../instance-types/offered-types.ts';
import { SPOT } from '../instance-types/offering-index.ts';
import { inZone } from '../instance-types/offering-scope.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';

const MAX_OTHER_POOLS = 3;

/** Explains why a planned node has this NodePool, these types and this zone. */
export function explainClaimChoice(newNode: NewNode, problem: Problem): ClaimChoice {
  const podGroups = [...newNode.podCounts.keys()];
  const onDemandFor = findShare(newNode, podGroups);
  const { commitment } = problem.typeIndex.types[findCheapestType(newNode, problem).type] ?? {};
  const suitable = findTypesForGroups(podGroups, newNode.template, problem.typeIndex.none);
  return {
    weight: newNode.template.pool.weight,
    pools: listOtherPools(newNode, podGroups, problem),
    types: { suiting: countBits(suitable), open: countBits(newNode.types) },
    zones: listZonePrices(newNode, problem),
    pinnedTo: listPinnedDomains(podGroups),
    ...(onDemandFor && { onDemandFor }),
    ...(commitment && { commitment: commitment.id }),
  };
}

/** Finds the share on demand because of which the node cannot be spot. */
function findShare({ template, where }: NewNode, podGroups: readonly PodGroup[]): ClaimChoice['onDemandFor'] {
  const isRestricted = podGroups.some(({ cls }) => isOnDemandSpec(cls.spec));
  if (isRestricted && !template.pool.onDemandShare) return 'pods';
  if (isRestricted) return 'NodePool';
  const isSpotOpen = (where.capacityTypes & SPOT) !== 0;
  const isSpotAllowed = (intersectScopes(podGroups, template).capacityTypes & SPOT) !== 0;
  return template.pool.onDemandShare && isSpotAllowed && !isSpotOpen ? 'NodePool' : undefined;
}

function listPinnedDomains(podGroups: readonly PodGroup[]): string[] {
  const domains = new Set<string>();
  for (const { topologyDomains } of podGroups)
    for (const domain of topologyDomains.values()) if (domain !== undefined) domains.add(domain);
  return [...domains].toSorted();
}

const findOption = ({ options }: PodGroup, template: NodeClaimTemplate): PoolOption | undefined =>
  options.find((option) => option.template === template);

function findTypesForGroups(
  podGroups: readonly PodGroup[],
  template: NodeClaimTemplate,
  none: PoolOption['types'],
): Bitset {
  const types = template.types.slice();
  for (const podGroup of podGroups) intersectInPlace(types, findOption(podGroup, template)?.types ?? none);
  return types;
}

/**
 * Lists the other NodePools that could launch one node for all of the pods, heaviest and then
 * cheapest first.
 */
function listOtherPools(newNode: NewNode, podGroups: readonly PodGroup[], problem: Problem): ClaimChoice['pools'] {
  return problem.nodeTemplates
    .filter((template) => template !== newNode.template)
    .map((template) => {
      const largeEnough = findTypesHolding(template.daemons, newNode.used, problem);
      const types = intersection(findTypesForGroups(podGroups, template, problem.typeIndex.none), largeEnough);
      const where = intersectScopes(podGroups, template);
      const hourlyUsd = findLowestUsd({ types, where }, problem);
      return { pool: template.pool.name, weight: template.pool.weight, hourlyUsd };
    })
    .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
    .toSorted((a, b) => b.weight - a.weight || a.hourlyUsd - b.hourlyUsd)
    .slice(0, MAX_OTHER_POOLS);
}

const intersectScopes = (podGroups: readonly PodGroup[], template: NodeClaimTemplate): NodeClaimTemplate['where'] =>
  podGroups
    .flatMap((podGroup) => findOption(podGroup, template)?.where ?? [])
    .reduce(
      (a, b) => ({
        zones: a.zones & b.zones,
        capacityTypes: a.capacityTypes & b.capacityTypes,
      }),
      template.where,
    );

function listZonePrices({ types, where }: NewNode, problem: Problem): ClaimChoice['zones'] {
  const { zones } = problem.offerings;
  return zones
    .map((zone, bit) => {
      return { zone, hourlyUsd: findLowestUsd({ types, where: inZone(where, bit) }, problem) };
    })
    .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
    .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd || (a.zone < b.zone ? -1 : 1));
}
