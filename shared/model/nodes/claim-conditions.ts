import type { EpochMs } from '../time.ts';
import type { ClaimWait, NodeClaim } from './node-claim.ts';
import type { ObjectCondition } from './node-claim-object.ts';
import { findReboot } from './reboot.ts';

/** A condition of a record, without the generation that only its object knows. */
export type DatedCondition = Pick<ObjectCondition, 'type' | 'status' | 'reason'> & {
  readonly since: EpochMs;
  readonly message?: string;
};

/**
 * The progress of a record as NodeClaim conditions. Transition times come from the record, so equal
 * records always give equal conditions.
 */
export function listClaimConditions(claim: NodeClaim): readonly DatedCondition[] {
  const dependents = listDependents(claim);
  return [
    ...dependents,
    computeReadiness(claim, dependents),
    ...listConsistency(claim),
    ...listConsolidation(claim),
    ...listDrift(claim),
    ...listReboot(claim),
    ...listRemovalConditions(claim),
  ];
}

function listDependents(claim: NodeClaim): readonly DatedCondition[] {
  const { launch, registeredAt, initializedAt } = claim;
  const waitsForNode = launch !== undefined && registeredAt === undefined;
  return [
    toReached('Launched', launch?.at) ?? toAwaiting(claim, 'Launched'),
    toReached('Registered', registeredAt) ?? toAwaiting(claim, 'Registered', waitsForNode ? 'NodeNotFound' : undefined),
    toReached('Initialized', initializedAt) ?? findRebootWait(claim) ?? toAwaiting(claim, 'Initialized'),
  ];
}

const toReached = (type: string, since: EpochMs | undefined): DatedCondition | undefined =>
  since === undefined ? undefined : { type, status: 'True', reason: type, since };

/** The conditions that `Ready` depends on exist as Unknown from the creation on. */
function toAwaiting(claim: NodeClaim, type: ClaimWait['condition'], reason = 'AwaitingReconciliation'): DatedCondition {
  const { createdAt, waitsFor } = claim;
  if (waitsFor?.condition !== type) return { type, status: 'Unknown', reason, since: createdAt };
  return fromWait(waitsFor, waitsFor.status === 'Unknown' ? createdAt : waitsFor.since);
}

const fromWait = ({ condition, status, reason, message }: ClaimWait, since: EpochMs): DatedCondition => ({
  type: condition,
  status,
  reason,
  message,
  since,
});

function computeReadiness(claim: NodeClaim, dependents: readonly DatedCondition[]): DatedCondition {
  const unmet = dependents.filter(({ status }) => status !== 'True');
  if (unmet.length === 0) {
    const since = Math.max(...dependents.map((dependent) => dependent.since));
    return { type: 'Ready', status: 'True', reason: 'Ready', since };
  }
  const message = unmet.map(({ type, status }) => `${type}=${status}`).join(', ');
  const unhealthy = unmet.find(({ status }) => status === 'False');
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

/** Evaluated once the node is initialized, and not while it is being removed. */
function listConsistency({ initializedAt, deletingAt, shortfall }: NodeClaim): readonly DatedCondition[] {
  if (initializedAt === undefined || deletingAt !== undefined) return [];
  const type = 'ConsistentStateFound';
  if (!shortfall) return [{ type, status: 'True', reason: type, since: initializedAt }];
  const { text: message, since } = shortfall;
  return [{ type, status: 'False', reason: 'ConsistencyCheckFailed', message, since }];
}

/** A claim that consolidation may not consider has no such condition. */
const listConsolidation = ({ consolidatableSince }: NodeClaim): readonly DatedCondition[] =>
  [toReached('Consolidatable', consolidatableSince)].filter((condition) => condition !== undefined);

/** Kept during removal, because it is the reason. A claim without drift has no such condition. */
const listDrift = ({ drift }: NodeClaim): readonly DatedCondition[] =>
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

const REBOOTING = 'Rebooting';

/** The time of its transition tells Karpenter when EC2 accepted the call. */
function findRebootWait(claim: NodeClaim): DatedCondition | undefined {
  const { issuedAt: since } = findReboot(claim) ?? {};
  return since === undefined ? undefined : { type: 'Initialized', status: 'Unknown', reason: REBOOTING, since };
}

/** @see Karpenter 1.15, pkg/apis/v1/nodeclaim_status.go */
function listReboot({ reboots = [] }: NodeClaim): readonly DatedCondition[] {
  const reboot = reboots.at(-1);
  if (!reboot) return [];
  const { cause, requestedAt, issuedAt, endedAt } = reboot;
  if (endedAt !== undefined) return [{ type: REBOOTING, status: 'False', reason: 'RebootSucceeded', since: endedAt }];
  const reason = issuedAt === undefined ? 'RebootRequested' : 'RebootIssued';
  return [{ type: REBOOTING, status: 'True', reason, message: `rebooting for ${cause}`, since: requestedAt }];
}

function listRemovalConditions(claim: NodeClaim): readonly DatedCondition[] {
  const { removal, deletingAt, drainingAt, drainedAt, terminatingAt, waitsFor } = claim;
  const reboot = findReboot(claim);
  const [reason, since] = reboot ? (['Unhealthy', reboot.requestedAt] as const) : ([removal, deletingAt] as const);
  const disruption: DatedCondition | undefined =
    reason && since !== undefined && DISRUPTIONS.has(reason)
      ? { type: 'DisruptionReason', status: 'True', reason, since }
      : undefined;
  const draining: DatedCondition | undefined =
    drainingAt === undefined ? undefined : toDraining(drainingAt, claim.blockedDrain?.text);
  const ended = toReached('InstanceTerminating', terminatingAt);
  const held = findAwaited('InstanceTerminating', waitsFor);
  return [
    disruption,
    toReached('Drained', drainedAt) ?? draining,
    toReached('VolumesDetached', claim.volumesDetachedAt) ?? findAwaited('VolumesDetached', waitsFor),
    // True also while something holds the Node: budgets no longer count an instance that ends.
    ended ? { ...ended, ...(held && { reason: held.reason, message: held.message }) } : held,
  ].filter((condition) => condition !== undefined);
}

/** The reason of a drain that a user has to free differs from Karpenter's, which never changes. */
const toDraining = (since: EpochMs, message: string | undefined): DatedCondition =>
  message === undefined
    ? { type: 'Drained', status: 'Unknown', reason: 'Draining', since }
    : { type: 'Drained', status: 'Unknown', reason: 'DrainStuck', message, since };

const findAwaited = (type: ClaimWait['condition'], wait: ClaimWait | undefined) =>
  wait?.condition === type ? fromWait(wait, wait.since) : undefined;

const DISRUPTIONS: ReadonlySet<string> = new Set(['Underutilized', 'Empty', 'Drifted', 'Unhealthy']);
