import { ZONE_LABEL } from '../../model/labels.ts';
import type { AssignedBatch } from '../assignment/assign-batch.ts';
import { listPoolOptions, type PodGroup } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import {
  allowsSpot,
  type RemovedNode,
  restrictToCheaperSpot,
  restrictToCheaperTypes,
  SPOT_TYPES_NEEDED,
} from '../packing/new-nodes/cheaper-node.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';
import { packOntoOneNode } from '../packing/new-nodes/single-node.ts';
import { keepOnDemandShares } from '../packing/on-demand-nodes.ts';
import { findCheapestPool } from '../packing/pool-choices.ts';

/** Conditions for the new nodes that replace the removed ones. */
export interface ReplacementRules {
  readonly nodes: readonly RemovedNode[];
  readonly maySpotReplaceSpot: boolean;
  /** True if several new nodes may take the place of the removed ones. */
  readonly mayLaunchSeveral: boolean;
  /** The most that the new nodes may cost together, in USD per hour. */
  readonly maxReplacementUsd: number;
}

/** Why no new node saves money. */
export type RefusedReplacement =
  /** The replacement is cheaper, but costs more than `maxReplacementUsd`. */
  | { readonly outcome: 'too-expensive'; readonly hourlyUsd: number }
  | { readonly outcome: 'spot-for-spot' }
  | {
      readonly outcome: 'too-few-spot-types';
      readonly replacement: number;
      readonly needed: number;
    }
  | {
      readonly outcome: 'not-cheaper';
      /** The best replacement, or why there is none; its price is `Infinity` then. */
      readonly best: string;
      readonly hourlyUsd: number;
    };

/**
 * Finds new nodes for the pods that have no place on existing ones: one node for all of them, or one in
 * each of the NodePools that are cheapest for some of them, whichever costs less. Wherever they are
 * launched, they cost less than the removed nodes.
 */
export function findReplacements(
  assigned: AssignedBatch,
  rules: ReplacementRules,
): readonly NewNode[] | RefusedReplacement {
  const { problem } = assigned;
  const together = findOneReplacement(assigned, rules);
  const apart = rules.mayLaunchSeveral ? findOnePerPool(assigned, rules) : undefined;
  if ('outcome' in together) return apart ?? together;
  return apart && sumUsd(apart, problem) < sumUsd([together], problem) ? apart : [together];
}

const sumUsd = (newNodes: readonly NewNode[], problem: Problem): number =>
  newNodes.reduce((sum, newNode) => sum + findCheapestType(newNode, problem).hourlyUsd, 0);

function findOneReplacement(assigned: AssignedBatch, rules: ReplacementRules): NewNode | RefusedReplacement {
  const { problem, podGroups } = assigned;
  const packed = packOntoOneNode(problem, podGroups);
  const [newNode] = packed ? withOnDemandShares([packed], assigned) : [];
  if (!newNode) return { outcome: 'not-cheaper', best: 'more than one node', hourlyUsd: Infinity };
  const cheaper = restrictToCheaper(newNode, rules, problem);
  if ('outcome' in cheaper) return cheaper;
  // Checked before the plan and its binding orders: both take longer than everything before them.
  const { hourlyUsd } = findCheapestType(cheaper, problem);
  return hourlyUsd > rules.maxReplacementUsd ? { outcome: 'too-expensive', hourlyUsd } : cheaper;
}

/** Restricts the new node to the types that save money, or tells why there are none. */
function restrictToCheaper(
  newNode: NewNode,
  { nodes, maySpotReplaceSpot }: ReplacementRules,
  problem: Problem,
): NewNode | RefusedReplacement {
  if (nodes.every(({ isSpot }) => isSpot) && allowsSpot(newNode)) {
    if (!maySpotReplaceSpot) return { outcome: 'spot-for-spot' };
    const cheaperSpot = restrictToCheaperSpot(nodes, newNode, problem);
    if (cheaperSpot.outcome === 'replaced') return cheaperSpot.newNode;
    if (cheaperSpot.outcome === 'too-few') {
      return {
        outcome: 'too-few-spot-types',
        replacement: cheaperSpot.replacement,
        needed: SPOT_TYPES_NEEDED,
      };
    }
  } else {
    const cheaper = restrictToCheaperTypes(nodes, newNode, problem);
    if (cheaper) return cheaper;
  }
  const { type, hourlyUsd } = findCheapestType(newNode, problem);
  return { outcome: 'not-cheaper', best: problem.typeIndex.types[type]?.name ?? '', hourlyUsd };
}

/**
 * True if a heavier NodePool would launch the node in another zone, and no rule of the pods asks for the
 * zone in which they were packed.
 */
export function passesOverHeavierPool({ template }: NewNode, { problem, podGroups }: AssignedBatch): boolean {
  if (podGroups.some(hasZoneRule)) return false;
  const inAnyZone = podGroups.map((podGroup) => withoutZone(podGroup, problem));
  const heaviest = packOntoOneNode(problem, inAnyZone);
  return heaviest !== undefined && heaviest.template.pool.weight > template.pool.weight;
}

/** Pods that rules of other pods count are in a zone as well, but any zone will do. */
const hasZoneRule = ({ topology: { owned, barredBy, avoidedGroups } }: PodGroup): boolean =>
  [...owned.map(({ group }) => group), ...barredBy, ...avoidedGroups].some(({ key }) => key === ZONE_LABEL);

function withoutZone(podGroup: PodGroup, problem: Problem): PodGroup {
  const { cls, relaxationIndex, topologyDomains } = podGroup;
  const relaxation = cls.relaxations[relaxationIndex];
  if (!relaxation) return podGroup;
  const others = new Map([...topologyDomains].filter(([key]) => key !== ZONE_LABEL));
  return { ...podGroup, options: listPoolOptions(cls, relaxation, others, problem) };
}

/**
 * Pods of several NodePools may share a node: a Job that tolerates the taint of a spot pool runs on an
 * on-demand node if that has room. Apart, each pod is on a node of the pool that is cheapest for it. The
 * most that the nodes may cost together is divided among them by their prices, so that it holds
 * whichever types EC2 chooses.
 */
function findOnePerPool(
  assigned: AssignedBatch,
  { nodes, maxReplacementUsd }: ReplacementRules,
): readonly NewNode[] | undefined {
  const { problem, podGroups } = assigned;
  const byPool = Map.groupBy(podGroups, ({ cls }) => findCheapestPool(cls.spec, problem));
  if (byPool.size < 2) return undefined;
  const packed = [...byPool].flatMap(([pool, groups]) => {
    const own = groups.map((podGroup) => ({
      ...podGroup,
      options: podGroup.options.filter(({ template }) => template.pool.name === pool),
    }));
    return packOntoOneNode(problem, own) ?? [];
  });
  const newNodes = withOnDemandShares(packed, assigned);
  const hourlyUsd = sumUsd(newNodes, problem);
  const removedUsd = nodes.reduce((sum, node) => sum + node.hourlyUsd, 0);
  const maxUsd = Math.min(removedUsd, maxReplacementUsd);
  if (newNodes.length < byPool.size || hourlyUsd >= maxUsd) return undefined;
  const restricted = newNodes.flatMap((newNode) => {
    const share = sumUsd([newNode], problem) / hourlyUsd;
    return restrictToCheaperTypes(nodes, newNode, problem, maxUsd * share) ?? [];
  });
  return restricted.length === newNodes.length ? restricted : undefined;
}

const withOnDemandShares = (newNodes: readonly NewNode[], { problem, placed }: AssignedBatch): readonly NewNode[] =>
  keepOnDemandShares(newNodes, problem, new Set([...placed.keys()].map(({ name }) => name)));
