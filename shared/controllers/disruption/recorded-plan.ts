import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { podKey } from '../../model/pods/pod.ts';
import type { HeldBackNodes } from '../../ports/decision-log.ts';
import type { Ports } from '../../ports/ports.ts';
import { isUnderSuspicion, toSubjectKey } from '../planning-attempts/bisect.ts';
import {
  type AttemptPorts,
  listHeldBack,
  type OpenAttempt,
  plansEverything,
  type RecordedAttempt,
  recordAttempt,
  reportPause,
} from '../planning-attempts/planning-attempt.ts';
import { groupByWorkloadKey, withoutPods } from '../provisioning/held-back-pods.ts';

/** A plan of removals that is recorded as an attempt. */
export interface RecordedPlan extends Pick<OpenAttempt, 'end'> {
  /** The nodes that this attempt must leave out; `undefined` for none. */
  readonly heldBack?: HeldBackNodes;
}

/**
 * Records that a plan of removals is about to be made, and chooses the nodes that may be candidates. The
 * validation of a proposal is not recorded: a proposal that cannot be validated expires after two minutes.
 */
export async function recordPlan(
  ports: AttemptPorts,
  { claims, pools }: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): Promise<RecordedPlan> {
  const busy = new Set(running.flatMap(({ candidates }) => candidates));
  const removable = claims.filter(
    ({ name, initializedAt, deletingAt }) =>
      initializedAt !== undefined && deletingAt === undefined && !busy.has(name),
  );
  if (removable.length === 0) return NOTHING_TO_PLAN;
  const stored = await ports.planningState.find('disruption');
  const subjects = plansEverything(stored) ? [] : removable.map(toSubject);
  const keys = subjects.map(([key]) => key);
  const attempt = await recordAttempt(ports, 'disruption', stored, keys);
  await reportSetAside(ports, attempt, subjects);
  await reportPause(ports, 'disruption', attempt, pools);
  const heldBack = listHeldBackNodes(attempt, subjects);
  return { ...(heldBack && { heldBack }), end: attempt.end };
}

const NOTHING_TO_PLAN: RecordedPlan = { end: async () => {} };

type Subject = readonly [key: string, claim: string];

const toSubject = ({ name }: { readonly name: string }): Subject => [toSubjectKey(name), name];

async function reportSetAside(
  { decisionLog, clock }: AttemptPorts,
  { newlySetAside }: RecordedAttempt,
  subjects: readonly Subject[],
): Promise<void> {
  const subject = subjects.find(([key]) => key === newlySetAside?.key);
  if (!newlySetAside || !subject) return;
  const { failures, until } = newlySetAside;
  const [, claim] = subject;
  const at = clock.now();
  await decisionLog.recordEvent({ kind: 'node-set-aside', at, claim, failures, until });
}

function listHeldBackNodes(
  attempt: RecordedAttempt,
  subjects: readonly Subject[],
): HeldBackNodes | undefined {
  const heldBack = listHeldBack(attempt, subjects);
  return (
    heldBack && {
      ...heldBack,
      setAside: heldBack.setAside.map(({ subject, failures, until }) => ({
        claim: subject,
        failures,
        until,
      })),
    }
  );
}

/**
 * Leaves out waiting pods that may end the planner of pods: a plan of removals looks for their places with
 * the same code.
 */
export async function withoutSuspectPods(
  { planningState }: Pick<Ports, 'planningState'>,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const stored = await planningState.find('provisioning');
  if (!stored || stored.state.suspects.length + stored.state.setAside.length === 0) return snapshot;
  const suspects = [...groupByWorkloadKey(snapshot)].flatMap(([key, pods]) =>
    isUnderSuspicion(key, stored.state) ? pods.map(podKey) : [],
  );
  return withoutPods(snapshot, suspects);
}
