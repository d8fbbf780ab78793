import type { NumberedEvent } from '../../console/views/events.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import { formatRefusals } from '../../shared/model/explanations/refusals.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { isActive, isReschedulable, isTerminal, isTerminating } from '../../shared/model/pods/disruption-pods.ts';
import { type PodKey, podKey } from '../../shared/model/pods/pod.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';

/** The events of a cluster that something else scales, from what its objects show. */
export interface LiveEvents {
  update(snapshot: ClusterSnapshot, decisions: readonly Decision[]): void;
  list(): readonly NumberedEvent[];
}

const KEPT = 2_000;

export function createLiveEvents(): LiveEvents {
  let events: NumberedEvent[] = [];
  let seq = 0;
  let before: ClusterSnapshot | undefined;
  let claimed: ReadonlySet<string> = new Set();
  let plannedId = '';
  const reported = new Map<PodKey, string>();

  const add = (event: ClusterEvent): void => {
    seq += 1;
    events.push({ seq, event });
    if (events.length > 2 * KEPT) events = events.slice(-KEPT);
  };

  return {
    update(snapshot, decisions) {
      const everClaimed = new Set([...claimed, ...listIdentities(snapshot.claims)]);
      const changes = before ? listChanges(before, snapshot, everClaimed) : [];
      before = snapshot;
      claimed = keepPresent(everClaimed, snapshot);
      for (const event of changes) add(event);
      const decision = decisions.findLast(({ kind }) => kind === 'provisioning');
      if (decision?.kind !== 'provisioning' || decision.id === plannedId) return;
      plannedId = decision.id;
      for (const event of listUnplaced(decision, reported)) add(event);
    },
    list: () => events,
  };
}

/**
 * The names and provider ids of the nodes of claims. A Node joins before its claim names it, and may be
 * removed after its claim: only the events of the claim are reported.
 */
const listIdentities = (claims: ClusterSnapshot['claims']): readonly string[] =>
  claims.flatMap(({ nodeName, launch }) => [nodeName, launch?.providerId].filter((identity) => identity !== undefined));

/** Keeps the identities that claims or nodes still have. */
const keepPresent = (identities: ReadonlySet<string>, { claims, nodes }: ClusterSnapshot): ReadonlySet<string> =>
  new Set([
    ...listIdentities(claims),
    ...nodes
      .flatMap(({ name, providerId }) => [name, providerId ?? name])
      .filter((identity) => identities.has(identity)),
  ]);

function listChanges(
  before: ClusterSnapshot,
  after: ClusterSnapshot,
  claimed: ReadonlySet<string>,
): readonly ClusterEvent[] {
  const at = after.takenAt;
  const earlier = new Map(before.claims.map((claim) => [claim.name, claim]));
  const later = new Set(after.claims.map(({ name }) => name));
  return [
    ...after.claims.flatMap((claim) => claimEvents(earlier.get(claim.name), claim, after)),
    ...before.claims
      .filter(({ name }) => !later.has(name))
      .map(({ name, createdAt }) => terminated(name, createdAt, at)),
    ...evictionEvents(before, after),
    ...nodeEvents(before, after, claimed),
  ];
}

/** Pods that leave a node while it is drained. Those that finish leave by themselves. */
function evictionEvents(before: ClusterSnapshot, after: ClusterSnapshot): readonly ClusterEvent[] {
  const drained = new Map(
    before.claims.flatMap((claim) =>
      claim.deletingAt !== undefined && claim.nodeName !== undefined ? [[claim.nodeName, claim] as const] : [],
    ),
  );
  if (drained.size === 0) return [];
  const staying = new Set(after.pods.filter(isActive).map(podKey));
  const finished = new Set(after.pods.filter(isTerminal).map(podKey));
  return before.pods.flatMap((pod): readonly ClusterEvent[] => {
    const { nodeName: node = '' } = pod;
    const claim = drained.get(node);
    const key = podKey(pod);
    if (!claim || !isReschedulable(pod) || isTerminating(pod)) return [];
    if (staying.has(key) || finished.has(key)) return [];
    const reason = claim.removal ?? 'Requested';
    return [{ kind: 'evicted', at: after.takenAt, claim: claim.name, node, pod: key, reason }];
  });
}

function claimEvents(
  earlier: NodeClaim | undefined,
  claim: NodeClaim,
  { takenAt: at, pods }: ClusterSnapshot,
): readonly ClusterEvent[] {
  const { name, launch, nodeName } = claim;
  const events: ClusterEvent[] = [];
  if (launch && !earlier?.launch) {
    const { instanceType, zone, capacityType, hourlyUsd } = launch;
    const offering = { instanceType, zone, capacityType, hourlyUsd };
    events.push({ kind: 'launch', at, claim: name, pods: [], cpuMilli: 0, offering });
  }
  if (claim.initializedAt !== undefined && earlier?.initializedAt === undefined) {
    events.push({ kind: 'ready', at, claim: name, waitedMs: 0 });
  }
  if (claim.deletingAt !== undefined && earlier?.deletingAt === undefined) {
    const count = pods.filter((pod) => pod.nodeName === nodeName && !isDaemon(pod)).length;
    events.push({ kind: 'draining', at, claim: name, pods: nodeName === undefined ? 0 : count });
  }
  return events;
}

/** Nodes that have had no NodeClaim. */
function nodeEvents(
  before: ClusterSnapshot,
  after: ClusterSnapshot,
  claimed: ReadonlySet<string>,
): readonly ClusterEvent[] {
  const at = after.takenAt;
  const isClaimed = ({ name, providerId }: Node): boolean =>
    claimed.has(name) || (providerId !== undefined && claimed.has(providerId));
  const earlier = new Map(before.nodes.map((node) => [node.name, node]));
  const later = new Set(after.nodes.map(({ name }) => name));
  return [
    ...after.nodes
      .filter((node) => node.ready && !earlier.get(node.name)?.ready && !isClaimed(node))
      .map(({ name }): ClusterEvent => ({ kind: 'ready', at, claim: name, waitedMs: 0 })),
    ...before.nodes
      .filter((node) => !later.has(node.name) && !isClaimed(node))
      .map(({ name, createdAt }) => terminated(name, createdAt, at)),
  ];
}

const terminated = (claim: string, createdAt: EpochMs, at: EpochMs): ClusterEvent => ({
  kind: 'terminated',
  at,
  claim,
  livedMs: at - createdAt,
});

/** Each pod is reported once for each cause. */
function listUnplaced(
  { at, plan: { unplaced } }: Extract<Decision, { kind: 'provisioning' }>,
  reported: Map<PodKey, string>,
): readonly ClusterEvent[] {
  const waiting = new Set(unplaced.flatMap(({ pods }) => pods));
  for (const pod of reported.keys()) if (!waiting.has(pod)) reported.delete(pod);
  return unplaced.flatMap((group): ClusterEvent[] => {
    const text = formatRefusals(group.pools);
    const pods = group.pods.filter((pod) => reported.get(pod) !== text);
    for (const pod of pods) reported.set(pod, text);
    if (pods.length === 0 || group.waits) return [];
    return [{ kind: 'unplaced', at, pods, text: text === '' ? 'there is none' : text }];
  });
}
