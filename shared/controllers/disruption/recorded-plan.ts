import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
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
  searchesPools,
} from '../planning-attempts/planning-attempt.ts';
import { groupByWorkloadKey, withoutPods } from '../provisioning/held-back-pods.ts';
import { withoutPools } from './decide-disruption.ts';

/** A plan of removals that is recorded as an attempt. */
export interface RecordedPlan extends Pick<OpenAttempt, 'end' | 'fail'> {
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
    ({ name, initializedAt, deletingAt }) => initializedAt !== undefined && deletingAt === undefined && !busy.has(name),
  );
  if (removable.length === 0) return NOTHING_TO_PLAN;
  const stored = await ports.planningState.find('disruption');
  const isByPool = searchesPools(stored);
  const subjects = plansEverything(stored) ? [] : removable.map(toSubject);
  const poolSubjects = isByPool ? pools.map(toPoolSubject) : [];
  const keys = (isByPool ? poolSubjects : subjects).map(([key]) => key);
  const attempt = await recordAttempt(ports, 'disruption', stored, keys, pools.length > 1);
  await reportSetAside(ports, attempt, subjects, poolSubjects);
  await reportPause(ports, 'disruption', attempt, pools);
  const heldBack = isByPool ? holdBackPools(attempt, removable, poolSubjects) : listHeldBackNodes(attempt, subjects);
  const { end, fail } = attempt;
  return { ...(heldBack && { heldBack }), end, fail };
}

const NOTHING_TO_PLAN: RecordedPlan = { end: async () => {}, fail: async () => {} };

type Subject = readonly [key: string, name: string];

const toSubject = ({ name }: { readonly name: string }): Subject => [toSubjectKey(name), name];
const toPoolSubject = ({ name }: { readonly name: string }): Subject => [toSubjectKey(`NodePool/${name}`), name];

async function reportSetAside(
  { decisionLog, clock }: AttemptPorts,
  { newlySetAside }: RecordedAttempt,
  subjects: readonly Subject[],
  pools: readonly Subject[],
): Promise<void> {
  if (!newlySetAside) return;
  const { key: setAside, failures, until } = newlySetAside;
  const times = { at: clock.now(), failures, until };
  const [, pool] = pools.find(([key]) => key === setAside) ?? [];
  if (pool !== undefined) {
    const event = { kind: 'planning-paused', planner: 'disruption', isPartial: true } as const;
    return decisionLog.recordEvent({ ...event, ...times, pools: [pool] });
  }
  const [, claim] = subjects.find(([key]) => key === setAside) ?? [];
  if (claim !== undefined) await decisionLog.recordEvent({ kind: 'node-set-aside', ...times, claim });
}

function listHeldBackNodes(attempt: RecordedAttempt, subjects: readonly Subject[]): HeldBackNodes | undefined {
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

/** Holds back the NodeClaims of the pools that are left out, and those that are set aside themselves. */
function holdBackPools(
  attempt: RecordedAttempt,
  claims: readonly NodeClaim[],
  pools: readonly Subject[],
): HeldBackNodes | undefined {
  const keyOf = new Map(pools.map(([key, name]) => [name, key]));
  const heldBack = listHeldBackNodes(
    attempt,
    claims.map((claim): Subject => {
      const [own, name] = toSubject(claim);
      return [attempt.roleOf(own) === 'set-aside' ? own : (keyOf.get(claim.pool) ?? own), name];
    }),
  );
  const leftOut = pools.flatMap(([key, name]) => (attempt.roleOf(key) === 'planned' ? [] : [name]));
  if (!heldBack && leftOut.length === 0) return;
  return { deferred: [], setAside: [], ...heldBack, pools: leftOut };
}

/** Leaves out NodePools that may end the planner: a proposal is validated without them as well. */
export async function withoutSuspectPools(
  { planningState }: Pick<Ports, 'planningState'>,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const stored = await planningState.find('disruption');
  if (!stored || !searchesPools(stored)) return snapshot;
  const suspects = snapshot.pools.filter((pool) => isUnderSuspicion(toPoolSubject(pool)[0], stored.state));
  return withoutPools(
    snapshot,
    suspects.map(({ name }) => name),
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
