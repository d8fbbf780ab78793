import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { toOwnerUid } from '../../model/pods/pod.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';

/**
 * kube-scheduler tries a pod again at once when a node becomes usable, and after 10 s at the latest
 * if it has failed before.
 */
export const JUDGED_AFTER_MS = 30 * SECOND_MS;

/** A NodeClaim that was launched for pods of an owner, and whether its node received any. */
interface OwnerLaunch {
  readonly claim: NodeClaim;
  /** The number of pods of the owner that it was launched for. */
  readonly expected: number;
  /** `open`: the pods may still come. `idle`: no pod of the owner waits any more. */
  readonly state: 'received' | 'unused' | 'open' | 'idle';
}

export interface OwnerLaunches {
  readonly pool: string;
  readonly owner: string;
  readonly launches: readonly OwnerLaunch[];
}

export const toOwnerKey = (pool: string, owner: string): string => `${pool}#${owner}`;

/** Groups the launches of the snapshot by pod owner and pool. */
export function groupLaunches(snapshot: ClusterSnapshot): ReadonlyMap<string, OwnerLaunches> {
  const { claims, nodes, pods, takenAt } = snapshot;
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  const ownersOnNode = new Map<string, Set<string>>();
  for (const pod of pods) {
    if (pod.nodeName === undefined) continue;
    getOrCreate(ownersOnNode, pod.nodeName, () => new Set()).add(toOwnerUid(pod));
  }
  const waitingSince = new Map<string, EpochMs>();
  for (const pod of pods.filter(isProvisionable)) {
    const owner = toOwnerUid(pod);
    const since = pod.unschedulableSince ?? takenAt;
    waitingSince.set(owner, Math.min(since, waitingSince.get(owner) ?? since));
  }

  const groups = new Map<string, { pool: string; owner: string; launches: OwnerLaunch[] }>();
  for (const claim of claims) {
    const node = nodeOf.get(claim.nodeName ?? '');
    if (isLost(claim) || (node && isSmallerThanPlanned(claim, node))) continue;
    for (const [owner, expected] of Object.entries(claim.expects ?? {})) {
      const hasReceived = ownersOnNode.get(claim.nodeName ?? '')?.has(owner) ?? false;
      const state = hasReceived ? 'received' : judge(claim, waitingSince.get(owner), takenAt);
      const key = toOwnerKey(claim.pool, owner);
      const group = groups.get(key) ?? { pool: claim.pool, owner, launches: [] };
      group.launches.push({ claim, expected, state });
      groups.set(key, group);
    }
  }
  return groups;
}

/** Judges a node without pods of the owner, of which the first has been waiting since `since`. */
function judge(
  { initializedAt, deletingAt }: NodeClaim,
  since: EpochMs | undefined,
  now: EpochMs,
): OwnerLaunch['state'] {
  if (initializedAt === undefined) return 'open';
  if (deletingAt === undefined && now < initializedAt + JUDGED_AFTER_MS) return 'open';
  return since !== undefined && since <= initializedAt ? 'unused' : 'idle';
}

/**
 * The node went before its pods could come. A node that was removed because it was empty is judged,
 * however: consolidation waits until kube-scheduler has seen it.
 */
const isLost = ({ deletingAt, removal }: NodeClaim): boolean => deletingAt !== undefined && removal !== 'Empty';

/** The next plan knows the real size of such nodes and chooses another type. */
const isSmallerThanPlanned = ({ requests, launch }: NodeClaim, { allocatable }: Node): boolean =>
  Object.keys(requests).some(
    (resource) => (ownValue(allocatable, resource) ?? 0) < (ownValue(launch?.allocatable, resource) ?? 0),
  );
