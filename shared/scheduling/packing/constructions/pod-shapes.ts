import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import type { Vector } from '../../data-structures/resource-vectors.ts';
import type { EligibilityGroupOf } from '../pricing/eligibility-groups.ts';
import type { HeaviestOptions } from './by-weight.ts';

/**
 * Pod groups whose pods have equal requests, may use the same nodes, and are kept apart by the same
 * rule.
 */
export interface PodShape {
  readonly members: readonly HeaviestOptions[];
  /** Position of their eligibility group. */
  readonly eligibilityGroup: number;
  readonly request: Vector;
  readonly requestedColumns: readonly number[];
  /** Index of the slot that each pod takes; -1 for none. */
  readonly slot: number;
  /** Pods that wait for a node. Changed only by `recountPods`. */
  readonly count: number;
}

/** The same object inside this file, where it may be written. */
interface MutablePodShape extends PodShape {
  count: number;
}

/** Counts the waiting pods of the shape's groups again. */
export function recountPods(shape: MutablePodShape): void {
  shape.count = countShapePods(shape.members);
}

/** Shapes, and the number of pods that each keep-apart rule allows on a node. */
export interface PodShapes {
  readonly shapes: readonly PodShape[];
  /** Rules that need most nodes come first. */
  readonly slots: readonly number[];
}

export function groupByShape(eligibilityGroups: readonly EligibilityGroupOf<HeaviestOptions>[]): PodShapes {
  const rules = listHostRules(eligibilityGroups.flatMap(({ members }) => members));
  const numbers = new Map(rules.map(({ key }, number) => [key, number]));
  const findSlot = ({ podGroup }: HeaviestOptions) => numbers.get(findHostRule(podGroup)?.key ?? '') ?? -1;
  const shapes = eligibilityGroups.flatMap(({ members: all }, eligibilityGroup) => {
    const alike = Map.groupBy(all, (one) => `${findSlot(one)} ${one.podGroup.request.join()}`);
    return [...alike.values()].flatMap((members): PodShape[] => {
      const [first] = members;
      if (!first) return [];
      const { request, requestedColumns } = first.podGroup;
      const slot = findSlot(first);
      return [
        {
          members,
          eligibilityGroup,
          request,
          requestedColumns,
          slot,
          count: countShapePods(members),
        },
      ];
    });
  });
  return { shapes, slots: rules.map(({ perNode }) => perNode) };
}

const countShapePods = (members: readonly HeaviestOptions[]): number =>
  members.reduce((sum, { podGroup }) => sum + podGroup.count, 0);

/** True if the pods have rules that depend on the other pods of their node. */
export const haveHostRules = ({ members: [first] }: PodShape): boolean =>
  first?.podGroup.topology.owned.some(({ group }) => group.key === HOSTNAME_LABEL) ?? false;

interface HostRule {
  readonly key: string;
  readonly perNode: number;
}

/**
 * Finds the strictest rule that limits the pods of the group on one node; pods under the same rule
 * share its slots.
 */
function findHostRule({ topology, cls }: PodGroup): HostRule | undefined {
  const { hostPorts } = cls.spec;
  if (hostPorts.length > 0) return { key: JSON.stringify(hostPorts), perNode: 1 };
  let rule: HostRule | undefined;
  for (const { group, selectsSelf } of topology.owned) {
    if (group.key !== HOSTNAME_LABEL || !selectsSelf || group.kind === 'affinity') continue;
    const perNode = group.kind === 'spread' ? group.maxSkew : 1;
    if (!rule || perNode < rule.perNode) rule = { key: group.id, perNode };
  }
  return rule;
}

function listHostRules(candidates: readonly HeaviestOptions[]): HostRule[] {
  const rules = new Map<string, { readonly rule: HostRule; nodes: number }>();
  for (const { podGroup } of candidates) {
    const rule = findHostRule(podGroup);
    if (!rule) continue;
    const entry = rules.get(rule.key) ?? { rule, nodes: 0 };
    entry.nodes += podGroup.count / rule.perNode;
    rules.set(rule.key, entry);
  }
  return [...rules.values()].toSorted((a, b) => b.nodes - a.nodes).map(({ rule }) => rule);
}
