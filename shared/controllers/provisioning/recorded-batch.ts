import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import type { HeldBackPods } from '../../ports/decision-log.ts';
import type { SetAsideSubject, StoredPlanningState } from '../../ports/planning-state.ts';
import {
  type AttemptPorts,
  listHeldBack,
  type OpenAttempt,
  plansEverything,
  type RecordedAttempt,
  recordAttempt,
  reportPause,
} from '../planning-attempts/planning-attempt.ts';
import { groupByWorkloadKey } from './held-back-pods.ts';

/** A pod batch whose planning is recorded as an attempt. */
export interface RecordedBatch extends OpenAttempt {
  /** The pods that this attempt must leave out; `undefined` for none. */
  readonly heldBack?: HeldBackPods;
}

/**
 * Records that a batch is about to be planned, and chooses its pods.
 *
 * @param snapshot - not needed if `plansEverything`
 */
export async function recordBatch(
  ports: AttemptPorts,
  stored: StoredPlanningState | undefined,
  snapshot?: ClusterSnapshot,
): Promise<RecordedBatch> {
  const workloads = snapshot && !plansEverything(stored) ? groupByWorkloadKey(snapshot) : NO_PODS;
  const attempt = await recordAttempt(ports, 'provisioning', stored, [...workloads.keys()]);
  await reportPause(ports, 'provisioning', attempt, snapshot?.pools ?? []);
  if (attempt.newlySetAside) await reportSetAside(ports, attempt.newlySetAside, workloads);
  const heldBack = listHeldBackPods(attempt, workloads);
  const { end, cancel, fail } = attempt;
  return { ...(heldBack && { heldBack }), end, cancel, fail };
}

type PodsByWorkload = ReadonlyMap<string, readonly Pod[]>;

const NO_PODS: PodsByWorkload = new Map();

/** An event names at most so many pods. */
const MAX_NAMED_PODS = 25;

async function reportSetAside(
  { decisionLog, clock }: AttemptPorts,
  { key, failures, until }: SetAsideSubject,
  workloads: PodsByWorkload,
): Promise<void> {
  const pods = (workloads.get(key) ?? []).map(podKey);
  await decisionLog.recordEvent({
    ...{ kind: 'pods-set-aside', at: clock.now(), failures, until },
    pods: pods.slice(0, MAX_NAMED_PODS),
    podCount: pods.length,
  });
}

function listHeldBackPods(attempt: RecordedAttempt, workloads: PodsByWorkload): HeldBackPods | undefined {
  const heldBack = listHeldBack(attempt, workloads);
  return (
    heldBack && {
      ...heldBack,
      deferred: heldBack.deferred.flatMap((pods) => pods.map(podKey)),
      setAside: heldBack.setAside.map(({ subject, failures, until }) => ({
        pods: subject.map(podKey),
        failures,
        until,
      })),
    }
  );
}
