import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import {
  isProvisionable,
  isTerminal,
  isTerminating,
  isUnjudged,
} from '../../model/pods/disruption-pods.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { PodOwner, QuotaRoom } from '../../model/pods/workload.ts';
import type { Resources } from '../../model/resources.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';

/** An owner that has made no pod for so long is not about to make more. */
const MAX_IDLE_MS = MINUTE_MS;
/** Of all owners together: kube-controller-manager takes minutes to create so many. */
const MAX_ANTICIPATED = 10_000;
/** The API server writes creation times in whole seconds. */
const CREATION_RESOLUTION_MS = SECOND_MS;

/**
 * Pods that ReplicaSets, Jobs and StatefulSets are still creating, as if they were pending, so that
 * one plan serves a whole scale-up. No more than quotas allow and than an owner lacks; none of an
 * owner that fails, or has made no pod for a minute. Who is scaled to a million by mistake has ten
 * thousand looked ahead for.
 */
export function listAnticipatedPods(snapshot: ClusterSnapshot): readonly Pod[] {
  const { owners = [], quotas = [], takenAt } = snapshot;
  const quotaTracker = createQuotaTracker(quotas);
  const podsByOwner = groupActivePodsByOwner(snapshot);
  let remaining = MAX_ANTICIPATED;
  return owners.flatMap((owner) => {
    const pods = podsByOwner.get(owner.uid) ?? [];
    if (!isCreating(owner, pods, takenAt)) return [];
    const wants = Math.min(owner.wants, pods.length + remaining);
    const anticipated = anticipatePodsOfOwner({ ...owner, wants }, pods, takenAt, quotaTracker);
    remaining -= anticipated.length;
    return anticipated;
  });
}

/** Owners, by uid, that want more pods than the snapshot shows, and will not wait for each. */
export function findOwnersLackingPods(snapshot: ClusterSnapshot): ReadonlySet<string> {
  const { owners = [] } = snapshot;
  const podsByOwner = groupActivePodsByOwner(snapshot);
  const lacking = owners.filter(
    ({ uid, wants, creates }) =>
      creates === 'at-once' && wants > (podsByOwner.get(uid)?.length ?? 0),
  );
  return new Set(lacking.map(({ uid }) => uid));
}

/** @see Kubernetes, ReplicaSet controller: pods that ended or are asked to are no replicas */
function groupActivePodsByOwner({
  pods,
  owners = [],
}: ClusterSnapshot): ReadonlyMap<string, Pod[]> {
  const podsByOwner = new Map(owners.map(({ uid }): [string, Pod[]] => [uid, []]));
  if (podsByOwner.size === 0) return podsByOwner;
  for (const pod of pods) {
    if (pod.owner === undefined || isTerminal(pod) || isTerminating(pod)) continue;
    podsByOwner.get(pod.owner.uid)?.push(pod);
  }
  return podsByOwner;
}

const isCreating = (
  { creates, isFailing }: PodOwner,
  pods: readonly Pod[],
  now: EpochMs,
): boolean =>
  creates === 'at-once' &&
  !isFailing &&
  now - findNewestCreation(pods) <= MAX_IDLE_MS + CREATION_RESOLUTION_MS;

const findNewestCreation = (pods: readonly Pod[]): EpochMs =>
  pods.reduce((newest, { createdAt }) => Math.max(newest, createdAt), Number.NEGATIVE_INFINITY);

function anticipatePodsOfOwner(
  { namespace, name, wants }: PodOwner,
  pods: readonly Pod[],
  now: EpochMs,
  quotaTracker: QuotaTracker,
): readonly Pod[] {
  const [first] = pods;
  if (!first) return [];
  const example = { ...first, spec: withoutOwnVolumes(first) };
  // Later than every pod that is there: what is short goes to those first.
  const createdAt = Math.max(now, findNewestCreation(pods)) + 1;
  const toPendingPod = (pod: Pod, as: string): Pod => toAnticipatedPod(pod, as, createdAt, now);

  const missing = quotaTracker.reserve(
    namespace,
    example.spec.requests,
    Math.max(wants - pods.length, 0),
  );
  // What their equals could not find, the scheduler will not find for these.
  const unjudged = pods.some(isProvisionable) ? pods.filter(isUnjudged) : [];
  return [
    ...unjudged.map((pod) => toPendingPod(pod, pod.name)),
    ...Array.from({ length: missing }, (_, index) =>
      toPendingPod(example, `${name}-awaited-${index + 1}`),
    ),
  ];
}

// Awaited pods share a spec, so that they are one class.
const withoutVolumes = new WeakMap<PodSpec, PodSpec>();

/** A StatefulSet gives each pod claims of its own, which end with the name of the pod. */
function withoutOwnVolumes({ name, spec }: Pod): PodSpec {
  const others = spec.volumeClaims.filter((claim) => !claim.endsWith(`-${name}`));
  if (others.length === spec.volumeClaims.length) return spec;
  const cached = withoutVolumes.get(spec) ?? { ...spec, volumeClaims: others };
  withoutVolumes.set(spec, cached);
  return cached;
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

/** What quotas leave while pods are being counted that nobody has created yet. */
interface QuotaTracker {
  /** Counts up to `wanted` pods in; @returns how many the namespace's quotas let in. */
  reserve(namespace: string, requests: Resources, wanted: number): number;
}

function createQuotaTracker(quotas: readonly QuotaRoom[]): QuotaTracker {
  const remainingQuotas = quotas.map((quota) => ({ ...quota, free: { ...quota.free } }));

  return {
    reserve(namespace, requests, wanted) {
      const applicable = remainingQuotas.filter((remaining) => remaining.namespace === namespace);
      if (applicable.some(({ isPartlyKnown }) => isPartlyKnown)) return 0;
      const count = Math.min(
        wanted,
        ...applicable.map(({ free }) => countCopiesThatFit(requests, free)),
      );
      for (const { free } of applicable) subtract(free, requests, count);
      return count;
    },
  };
}

function countCopiesThatFit(requests: Resources, free: Resources): number {
  const counts = Object.entries(free).flatMap(([name, left]) => {
    const each = requests[name] ?? 0;
    return each > 0 ? [Math.max(Math.floor(left / each), 0)] : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...counts);
}

function subtract(free: Record<string, number>, requests: Resources, count: number): void {
  for (const name in free) free[name] = (free[name] ?? 0) - count * (requests[name] ?? 0);
}
