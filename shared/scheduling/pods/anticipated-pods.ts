import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import { isActive, isProvisionable, isUnevaluated } from '../../model/pods/disruption-pods.ts';
import type { Pod, PodKey, PodSpec } from '../../model/pods/pod.ts';
import type { PodOwner, QuotaRoom } from '../../model/pods/workload.ts';
import type { Resources } from '../../model/resources.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';

/** An owner that has created no pod for this long is not expected to create more. */
const MAX_IDLE_MS = MINUTE_MS;
/** Limit over all owners: kube-controller-manager takes minutes to create this many pods. */
const MAX_ANTICIPATED = 10_000;
/** The API server stores creation times in whole seconds. */
const CREATION_RESOLUTION_MS = SECOND_MS;

/** The part of a snapshot that tells which pods owners have still to create. */
export type OwnedPods = Pick<ClusterSnapshot, 'pods' | 'owners' | 'quotas' | 'takenAt'>;

/**
 * Lists the pods that ReplicaSets, Jobs and StatefulSets are still creating, as if they were
 * pending, so that one plan serves a whole scale-up. Quotas and the owner's replica count limit
 * them. Owners that fail, or have created no pod for a minute, get none. At most 10,000 pods are
 * anticipated, which limits the harm of a mistaken scale to a million.
 */
export function listAnticipatedPods(snapshot: OwnedPods): readonly Pod[] {
  const { owners = [], quotas = [], takenAt } = snapshot;
  const quotaTracker = createQuotaTracker(quotas);
  const podsByOwner = groupActivePodsByOwner(snapshot);
  let remaining = MAX_ANTICIPATED;
  return owners.flatMap((owner) => {
    const pods = podsByOwner.get(owner.uid) ?? [];
    if (!isCreating(owner, pods, takenAt)) return [];
    const desiredPods = Math.min(owner.desiredPods, pods.length + remaining);
    const anticipated = anticipatePodsOfOwner({ ...owner, desiredPods }, pods, takenAt, quotaTracker);
    remaining -= anticipated.length;
    return anticipated;
  });
}

/**
 * Finds the uids of owners that want more pods than the snapshot shows and create them all at once.
 */
export function findOwnersLackingPods(snapshot: OwnedPods): ReadonlySet<string> {
  const { owners = [] } = snapshot;
  const podsByOwner = groupActivePodsByOwner(snapshot);
  const lacking = owners.filter(
    ({ uid, desiredPods, creates }) => creates === 'at-once' && desiredPods > (podsByOwner.get(uid)?.length ?? 0),
  );
  return new Set(lacking.map(({ uid }) => uid));
}

/**
 * @see Kubernetes, ReplicaSet controller: finished and terminating pods are not counted as replicas
 */
function groupActivePodsByOwner({ pods, owners = [] }: OwnedPods): ReadonlyMap<string, Pod[]> {
  const podsByOwner = new Map(owners.map(({ uid }): [string, Pod[]] => [uid, []]));
  if (podsByOwner.size === 0) return podsByOwner;
  for (const pod of pods) {
    if (pod.owner === undefined || !isActive(pod)) continue;
    podsByOwner.get(pod.owner.uid)?.push(pod);
  }
  return podsByOwner;
}

const isCreating = ({ creates, isFailing }: PodOwner, pods: readonly Pod[], now: EpochMs): boolean =>
  creates === 'at-once' && !isFailing && now - findNewestCreation(pods) <= MAX_IDLE_MS + CREATION_RESOLUTION_MS;

const findNewestCreation = (pods: readonly Pod[]): EpochMs =>
  pods.reduce((newest, { createdAt }) => Math.max(newest, createdAt), Number.NEGATIVE_INFINITY);

/** Between the owner's name and the number of a pod that does not exist yet. */
const AWAITED = '-awaited-';

/** The key under which the owner of a pod that does not exist yet would be: `shop/web-7f9c`. */
export function ownerKeyOfAnticipated(pod: PodKey): PodKey {
  const end = pod.lastIndexOf(AWAITED);
  return end < 0 ? pod : pod.slice(0, end);
}

function anticipatePodsOfOwner(
  { namespace, name, desiredPods }: PodOwner,
  pods: readonly Pod[],
  now: EpochMs,
  quotaTracker: QuotaTracker,
): readonly Pod[] {
  const [first] = pods;
  if (!first) return [];
  const example = { ...first, spec: withoutOwnVolumes(first) };
  // Later than every existing pod, so that existing pods get scarce capacity first.
  const createdAt = Math.max(now, findNewestCreation(pods)) + 1;
  const toPendingPod = (pod: Pod, as: string): Pod => toAnticipatedPod(pod, as, createdAt, now);

  const missing = quotaTracker.reserve(namespace, example.spec.requests, Math.max(desiredPods - pods.length, 0));
  // kube-scheduler found no node for equal pods, so it will find none for these.
  const unevaluated = pods.some(isProvisionable) ? pods.filter(isUnevaluated) : [];
  return [
    ...unevaluated.map((pod) => toPendingPod(pod, pod.name)),
    ...Array.from({ length: missing }, (_, index) => toPendingPod(example, `${name}${AWAITED}${index + 1}`)),
  ];
}

// Anticipated pods share a spec, so that they form one class.
const withoutVolumes = new WeakMap<PodSpec, PodSpec>();

/**
 * Removes the volume claims that a StatefulSet creates for each pod; their names end with the name
 * of the pod.
 */
function withoutOwnVolumes({ name, spec }: Pod): PodSpec {
  const others = spec.volumeClaims.filter((claim) => !claim.endsWith(`-${name}`));
  if (others.length === spec.volumeClaims.length) return spec;
  return getOrCreate(withoutVolumes, spec, () => ({ ...spec, volumeClaims: others }));
}

function toAnticipatedPod(
  { nodeName: _node, nominatedNodeName: _nominated, startedAt: _started, ...example }: Pod,
  name: string,
  createdAt: EpochMs,
  now: EpochMs,
): Pod {
  const uid = `awaited ${example.namespace}/${name}`;
  const phase = 'Pending' as const;
  return { ...example, name, uid, createdAt, phase, ready: false, unschedulableSince: now };
}

/** Tracks what ResourceQuotas leave for pods that are not created yet. */
interface QuotaTracker {
  /**
   * Reserves quota for up to `requested` pods. Returns the number that the namespace's quotas allow.
   */
  reserve(namespace: string, requests: Resources, requested: number): number;
}

function createQuotaTracker(quotas: readonly QuotaRoom[]): QuotaTracker {
  const remainingQuotas = quotas.map((quota) => ({ ...quota, free: { ...quota.free } }));

  return {
    reserve(namespace, requests, requested) {
      const applicable = remainingQuotas.filter((remaining) => remaining.namespace === namespace);
      if (applicable.some(({ isPartlyKnown }) => isPartlyKnown)) return 0;
      const count = Math.min(requested, ...applicable.map(({ free }) => countCopiesThatFit(requests, free)));
      for (const { free } of applicable) subtract(free, requests, count);
      return count;
    },
  };
}

function countCopiesThatFit(requests: Resources, free: Resources): number {
  const counts = Object.entries(free).flatMap(([name, remaining]) => {
    const each = ownValue(requests, name) ?? 0;
    return each > 0 ? [Math.max(Math.floor(remaining / each), 0)] : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...counts);
}

function subtract(free: Record<string, number>, requests: Resources, count: number): void {
  for (const name in free) free[name] = (ownValue(free, name) ?? 0) - count * (ownValue(requests, name) ?? 0);
}
