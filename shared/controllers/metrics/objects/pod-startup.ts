import type { MetricOf } from '../../../model/metrics/metrics.ts';
import type { ProvisioningPlan } from '../../../model/plans.ts';
import { isActive, isTerminating } from '../../../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, podKey } from '../../../model/pods/pod.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Telemetry } from '../../../ports/ports.ts';
import { toSeconds } from './condition-samples.ts';

/** A pod whose containers do not run yet. */
interface StartingPod {
  pod: Pod;
  readonly firstSeenAt: EpochMs;
  /** The first plan that considered it. */
  decidedAt?: EpochMs;
  /** The first plan that had a place for it. */
  placedAt?: EpochMs;
  boundAt?: EpochMs;
  /** The observation that contained it last. */
  seenIn: number;
}

/** Measures how long pods take to be planned, bound and started. */
export interface PodStartups {
  observe(pods: readonly Pod[], now: EpochMs): void;
  recordPlan(plan: ProvisioningPlan, at: EpochMs): void;
  gauge(now: EpochMs): void;
  /** Drops all pods, without measuring them. */
  clear(): void;
}

/**
 * Binding and start are dated by the kubelet, so that the time between two observations does not
 * count. A pod counts if some observation saw it before it ran, or if it was created after the
 * observation before.
 */
export function createPodStartups(telemetry: Telemetry): PodStartups {
  const starting = new Map<string, StartingPod>();
  let observations = 0;
  let observedAt: EpochMs | undefined;

  function observePod(pod: Pod, now: EpochMs): void {
    const isNew = observedAt !== undefined && pod.createdAt >= observedAt;
    const current = starting.get(pod.uid);
    if (!current && ((pod.phase !== 'Pending' && !isNew) || isTerminating(pod))) return;
    const entry: StartingPod = current ?? { pod, firstSeenAt: now, seenIn: observations };
    starting.set(pod.uid, entry);
    entry.pod = pod;
    entry.seenIn = observations;
    if (pod.nodeName !== undefined) recordBound(telemetry, entry, now);
    if (pod.phase === 'Running' && pod.runningAt !== undefined) {
      recordStarted(telemetry, entry, pod.runningAt);
      starting.delete(pod.uid);
    } else if (!isActive(pod)) starting.delete(pod.uid);
  }

  return {
    observe(pods, now) {
      observations += 1;
      for (const pod of pods) observePod(pod, now);
      for (const [uid, { seenIn }] of starting) if (seenIn !== observations) starting.delete(uid);
      observedAt = now;
    },
    recordPlan(plan, at) {
      if (starting.size === 0) return;
      const byKey = new Map([...starting.values()].map((entry) => [podKey(entry.pod), entry]));
      for (const key of listPlacedPods(plan)) {
        const entry = byKey.get(key);
        if (!entry) continue;
        recordDecided(telemetry, entry, at);
        entry.placedAt ??= at;
      }
      for (const key of plan.unplaced.flatMap(({ waits, pods }) => (waits ? [] : pods))) {
        const entry = byKey.get(key);
        if (entry) recordDecided(telemetry, entry, at);
      }
    },
    gauge: (now) => gaugeStarting(telemetry, [...starting.values()], now),
    clear() {
      starting.clear();
      observedAt = undefined;
    },
  };
}

const listPlacedPods = ({ claims, placements }: ProvisioningPlan): readonly PodKey[] => [
  ...claims.flatMap(({ pods }) => pods),
  ...placements.flatMap(({ pods }) => pods),
];

function recordDecided(telemetry: Telemetry, entry: StartingPod, at: EpochMs): void {
  if (entry.decidedAt !== undefined) return;
  entry.decidedAt = at;
  observeSeconds(telemetry, 'karpenter_pods_scheduling_decision_duration_seconds', entry.firstSeenAt, at);
}

/** The kubelet acknowledges a pod within a second after it was bound. */
function recordBound(telemetry: Telemetry, entry: StartingPod, now: EpochMs): void {
  if (entry.boundAt !== undefined) return;
  const { pod, placedAt } = entry;
  const at = Math.min(pod.startedAt ?? now, now);
  entry.boundAt = at;
  const labels = { dynamic_resources: hasDeviceClaims(pod) };
  telemetry.observe('karpenter_pods_bound_duration_seconds', labels, toSeconds(pod.createdAt, at));
  if (placedAt === undefined) return;
  telemetry.observe('karpenter_pods_provisioning_bound_duration_seconds', labels, toSeconds(placedAt, at));
}

function recordStarted(telemetry: Telemetry, { pod, placedAt }: StartingPod, at: EpochMs): void {
  observeSeconds(telemetry, 'karpenter_pods_startup_duration_seconds', pod.createdAt, at);
  observeSeconds(telemetry, 'mortise_pods_startup_seconds', pod.createdAt, at);
  if (placedAt === undefined) return;
  observeSeconds(telemetry, 'karpenter_pods_provisioning_startup_duration_seconds', placedAt, at);
}

const hasDeviceClaims = ({ spec: { deviceClaims } }: Pod): string => `${deviceClaims !== undefined}`;

type PodDuration = Exclude<
  Extract<MetricOf<'histogram' | 'summary'>, `karpenter_pods_${string}` | `mortise_pods_${string}`>,
  `${string}_bound_duration_seconds`
>;

const observeSeconds = (telemetry: Telemetry, name: PodDuration, from: EpochMs, to: EpochMs): void =>
  telemetry.observe(name, {}, toSeconds(from, to));

function gaugeStarting(telemetry: Telemetry, all: readonly StartingPod[], now: EpochMs): void {
  const list = (entries: readonly StartingPod[], since: (entry: StartingPod) => EpochMs | undefined) =>
    entries.flatMap((entry) => {
      const from = since(entry);
      const { name, namespace } = entry.pod;
      return from === undefined ? [] : [{ entry, labels: { name, namespace }, value: toSeconds(from, now) }];
    });
  const listUnbound = (since: (entry: StartingPod) => EpochMs | undefined) =>
    list(unbound, since).map(({ entry, labels, value }) => ({
      labels: { ...labels, dynamic_resources: hasDeviceClaims(entry.pod) },
      value,
    }));
  const unbound = all.filter(({ boundAt }) => boundAt === undefined);

  telemetry.gauge(
    'karpenter_pods_unstarted_time_seconds',
    list(all, ({ pod }) => pod.createdAt),
  );
  telemetry.gauge(
    'karpenter_pods_unbound_time_seconds',
    listUnbound(({ pod }) => pod.createdAt),
  );
  telemetry.gauge(
    'karpenter_pods_provisioning_unstarted_time_seconds',
    list(all, ({ placedAt }) => placedAt),
  );
  telemetry.gauge(
    'karpenter_pods_provisioning_unbound_time_seconds',
    listUnbound(({ placedAt }) => placedAt),
  );
  telemetry.gauge(
    'karpenter_pods_provisioning_scheduling_undecided_time_seconds',
    list(unbound, ({ decidedAt, firstSeenAt }) => (decidedAt === undefined ? firstSeenAt : undefined)),
  );
}
