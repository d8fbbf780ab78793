import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import type { NodeClaim, RemovalReason } from '../../shared/model/nodes/node-claim.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { NodeSpan } from '../timeline-views.ts';
import type { NodeView } from '../views.ts';

/** The lives of the nodes, for the Gantt chart. */
export interface NodeSpans {
  update(at: EpochMs, nodes: readonly NodeView[], claims: readonly NodeClaim[]): void;
  /** Takes exact ends and their causes from events: frames may miss them. */
  learn(event: ClusterEvent): void;
  /** Removes nodes that were gone before a moment. */
  forget(before: EpochMs): void;
  /** The nodes that lived in a window, by NodePool and birth. */
  list(window: { readonly from: EpochMs; readonly to: EpochMs }): readonly NodeSpan[];
}

export function nodeSpans(): NodeSpans {
  const byName = new Map<string, NodeSpan>();

  return {
    update(at, nodes, claims) {
      const byClaim = new Map(claims.map((claim) => [claim.name, claim]));
      const names = new Set(nodes.map(({ name }) => name));
      for (const [name, span] of byName) {
        if (span.goneAt === undefined && !names.has(name)) {
          const neverStarted = span.readyAt === undefined && span.why === undefined;
          byName.set(name, {
            ...span,
            goneAt: at,
            ...(neverStarted && { why: WORDS.LaunchTimeout }),
          });
        }
      }
      for (const node of nodes) {
        // A Node that joins is known by its own name until its claim has taken it.
        if (node.node !== undefined && node.node !== node.name) byName.delete(node.node);
        const claim = byClaim.get(node.name);
        const last = byName.get(node.name);
        byName.set(node.name, toSpan(node, claim, last?.goneAt === undefined ? last : undefined));
      }
    },
    learn(event) {
      const why = EVENT_WORDS[event.kind];
      const names = 'claims' in event ? event.claims : 'claim' in event ? [event.claim] : [];
      for (const name of names) {
        const span = byName.get(name);
        if (!span) continue;
        if (why !== undefined) byName.set(name, { ...span, why });
        if (event.kind === 'terminated' && span.goneAt !== undefined) {
          byName.set(name, { ...span, goneAt: event.at });
        }
      }
    },
    forget(before) {
      for (const [name, { goneAt }] of byName) {
        if (goneAt !== undefined && goneAt < before) byName.delete(name);
      }
    },
    list: ({ from, to }) =>
      [...byName.values()]
        .filter(({ bornAt, goneAt }) => bornAt <= to && (goneAt ?? to) >= from)
        .toSorted((a, b) => compare(a.pool, b.pool) || a.bornAt - b.bornAt || compare(a.name, b.name)),
  };
}

/** Fields that are known once stay, so that the span of a gone node keeps its price. */
function toSpan(node: NodeView, claim: NodeClaim | undefined, last: NodeSpan | undefined): NodeSpan {
  const isStarting = node.state === 'starting' || node.state === 'registered';
  const readyAt = claim ? claim.initializedAt : isStarting ? undefined : (last?.readyAt ?? node.bornAt);
  const isLeaving = node.state === 'draining' || node.state === 'interrupted';
  const leavingAt = isLeaving ? (last?.leavingAt ?? node.stateSince) : undefined;
  // EC2 can refuse some offerings of a launch, and the node comes from another.
  const hasLaunched = last?.why === WORDS.InsufficientCapacity && readyAt !== undefined;
  const why = (hasLaunched ? undefined : last?.why) ?? (claim?.removal && WORDS[claim.removal]);
  return {
    name: node.name,
    pool: node.pool ?? '',
    instanceType: node.instanceType,
    zone: node.zone,
    ...(node.capacityType && { capacityType: node.capacityType }),
    ...(node.hourlyUsd !== undefined && { hourlyUsd: node.hourlyUsd }),
    bornAt: node.bornAt,
    ...(readyAt !== undefined && { readyAt }),
    ...(leavingAt !== undefined && { leavingAt }),
    ...(why !== undefined && { why }),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const EVENT_WORDS: Readonly<Partial<Record<ClusterEvent['kind'], string>>> = {
  interruption: 'interrupted',
  'remove-empty': 'empty',
  remove: 'consolidated',
  replace: 'replaced',
  'replace-drifted': 'drifted',
  expired: 'expired',
  repair: 'unhealthy',
  'not-registered': 'did not join',
  unavailable: 'no capacity',
};

const WORDS: Readonly<Record<RemovalReason, string>> = {
  Underutilized: 'consolidated',
  Empty: 'empty',
  Drifted: 'drifted',
  Interrupted: 'interrupted',
  Expired: 'expired',
  Unhealthy: 'unhealthy',
  InsufficientCapacity: 'no capacity',
  LaunchTimeout: 'not launched',
  RegistrationTimeout: 'did not join',
  InstanceGone: 'instance gone',
  Requested: 'deleted',
};
