import type { Offering } from '../../../model/instance-type.ts';
import {
  CAPACITY_TYPE_LABEL,
  type Labels,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '../../../model/labels.ts';
import type { HostPort } from '../../../model/pod.ts';
import { allowsValue } from '../../../model/requirement.ts';
import type { Taint } from '../../../model/taints.ts';
import { customLabels } from '../../claims/claim-requirements.ts';
import { hasBit } from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { cheapestType, type Draft } from '../../packing/new-nodes/packing-state.ts';

/** What nodes that differ in their name alone have in common. */
export interface HostKind {
  /** Counts the kinds of one register. */
  readonly number: number;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Vector;
  /** Left for pods before any of the batch is bound, DaemonSet pods taken off. */
  readonly free: Vector;
  readonly hostPorts: readonly HostPort[];
  /** No pod is bound there any more, but rules on domains go on counting it. */
  readonly isClosed?: boolean;
}

/** A node as kube-scheduler will see it. */
export interface Host {
  readonly name: string;
  readonly kind: HostKind;
  /** Absent: the node is there already. */
  readonly draft?: Draft;
}

/** Tells which hosts pods may be bound to, with one object for each kind of them. */
export interface HostRegister {
  /**
   * Nodes that are there, then the drafts, each launched as its cheapest offering: by their kinds,
   * so that the same nodes come in the same order whatever is planned for them.
   */
  hostsOf(drafts: readonly Draft[]): Host[];
}

export function hostRegister(problem: Problem): HostRegister {
  const present = problem.bins
    .filter(({ leaving, node }) => !leaving || node)
    .map(
      (bin, number): Host => ({ name: bin.name, kind: { ...bin, number, isClosed: bin.leaving } }),
    );
  const kinds = new Map<string, HostKind>();

  function kindOf(draft: Draft): HostKind {
    const { type } = cheapestType(draft, problem);
    const offering = problem.offerings.cheapest(type, draft.where);
    const own = { ...openLabels(draft, type, problem), ...customLabels(draft) };
    const { pool } = draft.template;
    const key = [
      pool.name,
      type,
      offering?.zone,
      offering?.capacityType,
      JSON.stringify(own),
    ].join();
    const kind = kinds.get(key) ?? {
      ...launchedKind(draft, type, offering, own, problem),
      number: present.length + kinds.size,
    };
    kinds.set(key, kind);
    return kind;
  }

  return {
    hostsOf: (drafts) => [
      ...present,
      ...drafts
        .map((draft) => ({ kind: kindOf(draft), draft }))
        .toSorted((a, b) => a.kind.number - b.kind.number)
        .map((host, ordinal) => ({ ...host, name: `\n${ordinal}` })),
    ],
  };
}

function launchedKind(
  draft: Draft,
  type: number,
  offering: Offering | undefined,
  own: Labels,
  { index, columns }: Problem,
): Omit<HostKind, 'number'> {
  const { pool, daemons } = draft.template;
  const group = daemons.find(({ types }) => hasBit(types, type));
  const allocatable = index.allocatable[type] ?? new Float64Array();
  const free = Float64Array.from(
    columns.names,
    (_, column) => at(allocatable, column) - (group ? at(group.overhead, column) : 0),
  );
  const { zone = '', capacityType = '' } = offering ?? {};
  return {
    labels: {
      ...index.types[type]?.labels,
      ...own,
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
      [ZONE_LABEL]: zone,
      [CAPACITY_TYPE_LABEL]: capacityType,
    },
    taints: pool.taints,
    allocatable,
    free,
    hostPorts: group?.hostPorts ?? [],
  };
}

/** Of labels that the type leaves open, the first value that the draft allows. */
function openLabels({ custom }: Draft, type: number, { index }: Problem): Labels {
  const chosen: Record<string, string> = {};
  for (const [key, values] of Object.entries(index.types[type]?.choices ?? {})) {
    const allowed = custom.get(key);
    const value = values.find((one) => !allowed || allowsValue(allowed, one));
    if (value !== undefined) chosen[key] = value;
  }
  return chosen;
}
