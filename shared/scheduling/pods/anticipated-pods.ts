import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { isProvisionable, isTerminal, isTerminating, isUnjudged } from '../../model/disruption-pods.ts';
import type { Pod, PodSpec } from '../../model/pod.ts';
import type { PodOwner, QuotaRoom } from '../../model/pod-owner.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Resources } from '../../model/resources.ts';

/** An owner that has made no pod for so long is not about to make more. */
const FORGOTTEN_AFTER_MS = MINUTE_MS;
/** Of all owners together: kube-controller-manager takes minutes to create so many. */
const MOST_AWAITED = 10_000;
/** The API server writes creation times in whole seconds. */
const CREATION_GRAIN_MS = SECOND_MS;

/**
 * Pods that ReplicaSets, Jobs and StatefulSets are still creating, as if they were pending, so that
 * one plan serves a whole scale-up. No more than quotas allow and than an owner lacks; none of an
 * owner that fails, or has made no pod for a minute. Who is scaled to a million by mistake has ten
 * thousand looked ahead for.
 */
export function anticipatedPods(snapshot: ClusterSnapshot): readonly Pod[] {
  const { owners = [], quotas = [], takenAt } = snapshot;
  const book = openQuotaBook(quotas);
  const members = activePodsByOwner(snapshot);
  let room = MOST_AWAITED;
  return owners.flatMap((owner) => {
    const pods = members.get(owner.uid) ?? [];
    if (!isCreating(owner, pods, takenAt)) return [];
    const wants = Math.min(owner.wants, pods.length + room);
    const coming = podsToCome({ ...owner, wants }, pods, takenAt, book);
    room -= coming.length;
    return coming;
  });
}

/** Owners, by uid, that want more pods than the snapshot shows, and will not wait for each. */
export function ownersLackingPods(snapshot: ClusterSnapshot): ReadonlySet<string> {
  const { owners = [] } = snapshot;
  const members = activePodsByOwner(snapshot);
  const lacking = owners.filter(
    ({ uid, wants, creates }) => creates === 'at-once' && wants > (members.get(uid)?.length ?? 0),
  );
  return new Set(lacking.map(({ uid }) => uid));
}

/** @see Kubernetes, ReplicaSet controller: pods that ended or are asked to are no replicas */
function activePodsByOwner({ pods, owners = [] }: ClusterSnapshot): ReadonlyMap<string, Pod[]> {
  const members = new Map(owners.map(({ uid }): [string, Pod[]] => [uid, []]));
  if (members.size === 0) return members;
  for (const pod of pods) {
    if (pod.owner === undefined || isTerminal(pod) || isTerminating(pod)) continue;
    members.get(pod.owner.uid)?.push(pod);
  }
  return members;
}

const isCreating = (
  { creates, isFailing }: PodOwner,
  pods: readonly Pod[],
  now: EpochMs,
): boolean =>
  creates === 'at-once' &&
  !isFailing &&
  now - newestOf(pods) <= FORGOTTEN_AFTER_MS + CREATION_GRAIN_MS;

const newestOf = (pods: readonly Pod[]): EpochMs =>
  pods.reduce((newest, { createdAt }) => Math.max(newest, createdAt), Number.NEGATIVE_INFINITY);

function podsToCome(
  { namespace, name, wants }: PodOwner,
  pods: readonly Pod[],
  now: EpochMs,
  book: QuotaBook,
): readonly Pod[] {
  const [first] = pods;
  if (!first) return [];
  const example = { ...first, spec: withoutOwnVolumes(first) };
  // Later than every pod that is there: what is short goes to those first.
  const createdAt = Math.max(now, newestOf(pods)) + 1;
  const pending = (pod: Pod, as: string): Pod => awaited(pod, as, createdAt, now);

  const missing = book.take(namespace, example.spec.requests, Math.max(wants - pods.length, 0));
  // What their equals could not find, the scheduler will not find for these.
  const unjudged = pods.some(isProvisionable) ? pods.filter(isUnjudged) : [];
  return [
    ...unjudged.map((pod) => pending(pod, pod.name)),
    ...Array.from({ length: missing }, (_, index) =>
      pending(example, `${name}-awaited-${index + 1}`),
    ),
  ];
}

// Awaited pods share a spec, so that they are one class.
const withoutVolumes = new WeakMap<PodSpec, PodSpec>();

/** A StatefulSet gives each pod claims of its own, which end with the name of the pod. */
function withoutOwnVolumes({ name, spec }: Pod): PodSpec {
  const others = spec.volumeClaims.filter((claim) => !claim.endsWith(`-${name}`));
  if (others.length === spec.volumeClaims.length) return spec;
  const known = withoutVolumes.get(spec) ?? { ...spec, volumeClaims: others };
  withoutVolumes.set(spec, known);
  return known;
}

function awaited(
  { nodeName: _node, nominatedNodeName: _nominated, startedAt: _started, ...example }: Pod,
  name: string,
  createdAt: EpochMs,
  now: EpochMs,
): Pod {
  const uid = `awaited ${example.namespace}/${name}`;
  const phase = 'Pending' as const;
  return { ...example, name, uid, createdAt, phase, ready: false, unschedulableSince: now };
}

/** What quotas leave while pods are being counted that nobody has created yet. */
interface QuotaBook {
  /** Counts up to `wanted` pods in; @returns how many the namespace's quotas let in. */
  take(namespace: string, requests: Resources, wanted: number): number;
}

function openQuotaBook(quotas: readonly QuotaRoom[]): QuotaBook {
  const rooms = quotas.map((quota) => ({ ...quota, free: { ...quota.free } }));

  return {
    take(namespace, requests, wanted) {
      const bounding = rooms.filter((room) => room.namespace === namespace);
      if (bounding.some(({ isPartlyKnown }) => isPartlyKnown)) return 0;
      const count = Math.min(wanted, ...bounding.map(({ free }) => copiesThatFit(requests, free)));
      for (const { free } of bounding) subtract(free, requests, count);
      return count;
    },
  };
}

function copiesThatFit(requests: Resources, free: Resources): number {
  const counts = Object.entries(free).flatMap(([name, left]) => {
    const each = requests[name] ?? 0;
    return each > 0 ? [Math.max(Math.floor(left / each), 0)] : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...counts);
}

function subtract(free: Record<string, number>, requests: Resources, count: number): void {
  for (const name in free) free[name] = (free[name] ?? 0) - count * (requests[name] ?? 0);
}
