import type { ClaimWait, NodeClaim } from '../../model/nodes/node-claim.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';

/** A condition as NodeClaims carry it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

type Judgement = Pick<Condition, 'type' | 'status' | 'reason'> & {
  readonly since: EpochMs;
  readonly message?: string;
};

/**
 * The record's progress as conditions. Every transition has its instant in the record, so that the
 * same record gives the same text, whoever writes it and how often.
 *
 * @param generation - of the stored object: what kubectl wait compares
 */
export function conditionsOf(claim: NodeClaim, generation: number): readonly Condition[] {
  const dependents = dependentsOf(claim);
  const judgements = [...consistency(claim), ...driftOf(claim), ...removalOf(claim)];
  return [...dependents, readiness(claim, dependents), ...judgements].map(
    ({ since, message = '', ...condition }) => ({
      ...condition,
      message,
      lastTransitionTime: formatInstant(since),
      observedGeneration: generation,
    }),
  );
}

function dependentsOf(claim: NodeClaim): readonly Judgement[] {
  const { launch, registeredAt, initializedAt } = claim;
  const waitsForNode = launch !== undefined && registeredAt === undefined;
  return [
    reached('Launched', launch?.at) ?? awaiting(claim, 'Launched'),
    reached('Registered', registeredAt) ??
      awaiting(claim, 'Registered', waitsForNode ? 'NodeNotFound' : undefined),
    reached('Initialized', initializedAt) ?? awaiting(claim, 'Initialized'),
  ];
}

const reached = (type: string, since: EpochMs | undefined): Judgement | undefined =>
  since === undefined ? undefined : { type, status: 'True', reason: type, since };

/** What `Ready` depends on exists, as Unknown, from the creation on. */
function awaiting(
  claim: NodeClaim,
  type: ClaimWait['condition'],
  reason = 'AwaitingReconciliation',
): Judgement {
  const { createdAt, waitsFor } = claim;
  if (waitsFor?.condition !== type) return { type, status: 'Unknown', reason, since: createdAt };
  return waited(waitsFor, waitsFor.status === 'Unknown' ? createdAt : waitsFor.since);
}

const waited = ({ condition, status, reason, message }: ClaimWait, since: EpochMs): Judgement => ({
  type: condition,
  status,
  reason,
  message,
  since,
});

function readiness(claim: NodeClaim, dependents: readonly Judgement[]): Judgement {
  const offenders = dependents.filter(({ status }) => status !== 'True');
  if (offenders.length === 0) {
    const since = Math.max(...dependents.map((dependent) => dependent.since));
    return { type: 'Ready', status: 'True', reason: 'Ready', since };
  }
  const message = offenders.map(({ type, status }) => `${type}=${status}`).join(', ');
  const unhealthy = offenders.find(({ status }) => status === 'False');
  return unhealthy
    ? {
        type: 'Ready',
        status: 'False',
        reason: 'UnhealthyDependents',
        message,
        since: unhealthy.since,
      }
    : {
        type: 'Ready',
        status: 'Unknown',
        reason: 'ReconcilingDependents',
        message,
        since: claim.createdAt,
      };
}

/** Judged from the first look at a usable node on, and no more once it goes. */
function consistency({ initializedAt, deletingAt, shortfall }: NodeClaim): readonly Judgement[] {
  if (initializedAt === undefined || deletingAt !== undefined) return [];
  const type = 'ConsistentStateFound';
  if (!shortfall) return [{ type, status: 'True', reason: type, since: initializedAt }];
  const { text: message, since } = shortfall;
  return [{ type, status: 'False', reason: 'ConsistencyCheckFailed', message, since }];
}

/** Kept while it goes: it says why. A claim that is in line has no such condition. */
const driftOf = ({ drift }: NodeClaim): readonly Judgement[] =>
  drift
    ? [
        {
          type: 'Drifted',
          status: 'True',
          reason: drift.reason,
          message: drift.text,
          since: drift.since,
        },
      ]
    : [];

function removalOf(claim: NodeClaim): readonly Judgement[] {
  const { removal, deletingAt, drainingAt, drainedAt, terminatingAt, waitsFor } = claim;
  const disruption: Judgement | undefined =
    removal && deletingAt !== undefined && DISRUPTIONS.has(removal)
      ? { type: 'DisruptionReason', status: 'True', reason: removal, since: deletingAt }
      : undefined;
  const draining: Judgement | undefined =
    drainingAt === undefined
      ? undefined
      : { type: 'Drained', status: 'Unknown', reason: 'Draining', since: drainingAt };
  return [
    disruption,
    reached('Drained', drainedAt) ?? draining,
    reached('VolumesDetached', claim.volumesDetachedAt) ?? awaited('VolumesDetached', waitsFor),
    awaited('InstanceTerminating', waitsFor) ?? reached('InstanceTerminating', terminatingAt),
  ].filter((judgement) => judgement !== undefined);
}

const awaited = (type: ClaimWait['condition'], wait: ClaimWait | undefined) =>
  wait?.condition === type ? waited(wait, wait.since) : undefined;

const DISRUPTIONS: ReadonlySet<string> = new Set(['Underutilized', 'Empty', 'Drifted']);
