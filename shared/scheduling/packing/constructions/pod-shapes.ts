import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import type { Vector } from '../../data-structures/resource-vectors.ts';
import type { CrowdOf } from '../pricing/eligibility-groups.ts';
import type { Choice } from './by-weight.ts';

/** Units whose pods are of one size, may use the same nodes, and keep apart by the same rule. */
export interface Shape {
  readonly members: readonly Choice[];
  /** Position of the crowd that they belong to. */
  readonly crowd: number;
  readonly request: Vector;
  readonly asked: readonly number[];
  /** Of which of the slots each of its pods takes one; -1 for none. */
  readonly slot: number;
  /** Pods that are left. */
  count: number;
}

/** Shapes, and how many pods of each rule that keeps them apart a node may have. */
export interface Shapes {
  readonly shapes: readonly Shape[];
  /** Rules that need most nodes come first. */
  readonly slots: readonly number[];
}

export function shapesOf(crowds: readonly CrowdOf<Choice>[]): Shapes {
  const rules = hostRules(crowds.flatMap(({ members }) => members));
  const numbers = new Map(rules.map(({ key }, number) => [key, number]));
  const slotOf = ({ unit }: Choice) => numbers.get(hostRule(unit)?.key ?? '') ?? -1;
  const shapes = crowds.flatMap(({ members: all }, crowd) => {
    const alike = Map.groupBy(all, (one) => `${slotOf(one)} ${one.unit.request.join()}`);
    return [...alike.values()].flatMap((members): Shape[] => {
      const [first] = members;
      if (!first) return [];
      const { request, requestedColumns } = first.unit;
      const slot = slotOf(first);
      return [{ members, crowd, request, asked: requestedColumns, slot, count: podsOf(members) }];
    });
  });
  return { shapes, slots: rules.map(({ perNode }) => perNode) };
}

export const podsOf = (members: readonly Choice[]): number =>
  members.reduce((sum, { unit }) => sum + unit.count, 0);

/** Whether it matters to these pods who is on their node before them. */
export const areChoosy = ({ members: [first] }: Shape): boolean =>
  first?.unit.topology.owned.some(({ group }) => group.key === HOSTNAME_LABEL) ?? false;

interface HostRule {
  readonly key: string;
  readonly perNode: number;
}

/** What lets so few pods of the unit share a node: all that come under the same rule count as one. */
function hostRule({ topology, cls }: PodGroup): HostRule | undefined {
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

function hostRules(choices: readonly Choice[]): HostRule[] {
  const rules = new Map<string, { readonly rule: HostRule; nodes: number }>();
  for (const { unit } of choices) {
    const rule = hostRule(unit);
    if (!rule) continue;
    const known = rules.get(rule.key) ?? { rule, nodes: 0 };
    known.nodes += unit.count / rule.perNode;
    rules.set(rule.key, known);
  }
  return [...rules.values()].toSorted((a, b) => b.nodes - a.nodes).map(({ rule }) => rule);
}
