import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { InterruptionCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim, RemovalReason, RequestedBy } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import { findMissedDeadline, isExpired, LAUNCH_TIMEOUT_MS, REGISTRATION_TIMEOUT_MS } from '../deadlines.ts';
import { hasEnded, isInstanceGone } from '../instance-absence.ts';
import { findMissingNode } from '../missing-node.ts';
import type { Observed } from '../observed.ts';
import { isRegistrationUnrecorded } from '../startup/registration.ts';

/** Why a claim must be deleted although no disruption command planned it. */
export interface TerminationReason {
  readonly removal: RemovalReason;
  readonly interruption?: InterruptionCause;
  readonly requestedBy?: RequestedBy;
  /** Time of the deletion request; default: now. */
  readonly at?: EpochMs;
  readonly events: readonly ClusterEvent[];
}

export function findTerminationReason(claim: NodeClaim, observed: Observed): TerminationReason | undefined {
  const { now, object } = observed;
  if (object !== undefined && object !== 'missing' && object.deletionAt !== undefined) {
    const requestedBy = claim.pool !== '' && !observed.poolVersion ? 'NodePool' : 'NodeClaim';
    return { removal: 'Requested', requestedBy, at: object.deletionAt, events: [] };
  }
  if (isExpired(claim, now)) {
    return { removal: 'Expired', events: [{ kind: 'expired', at: now, claim: claim.name }] };
  }

  const missed = isRegistrationUnrecorded(claim, observed) ? undefined : findMissedDeadline(claim, now);
  if (missed) return { removal: missed, events: [buildNotRegisteredEvent(claim, missed, now)] };

  // The cloud controller deletes the Node of an instance that has ended: that is an effect, and no request.
  const endedState = ENDED_STATES[observed.instance?.state ?? ''];
  if (endedState) return toInterruption(claim, endedState, now);
  const deletionAt = observed.nodes.find((node) => node.deletionAt !== undefined)?.deletionAt;
  // A Node that is being deleted stays Ready until its kubelet has missed its reports.
  const isGone = deletionAt === undefined ? isInstanceGone(claim, observed) : hasEnded(claim, observed);
  if (isGone) {
    return { removal: 'InstanceGone', events: [buildEndEvent(claim, 'instance_terminated', now)] };
  }
  if (deletionAt !== undefined) {
    return { removal: 'Requested', requestedBy: 'Node', at: deletionAt, events: [] };
  }
  return findMissingNode(claim, observed);
}

/** EC2 does not leave these states without a user's action. */
const ENDED_STATES: Readonly<Record<string, 'instance_stopped' | 'instance_terminated'>> = {
  stopped: 'instance_stopped',
  'shutting-down': 'instance_terminated',
};

const toInterruption = (
  { name }: NodeClaim,
  cause: 'instance_stopped' | 'instance_terminated',
  at: EpochMs,
): TerminationReason => ({
  removal: 'Interrupted',
  interruption: cause,
  events: [buildEndEvent({ name }, cause, at)],
});

const buildEndEvent = (
  { name }: Pick<NodeClaim, 'name'>,
  cause: 'instance_stopped' | 'instance_terminated',
  at: EpochMs,
): ClusterEvent => ({ kind: 'impaired', at, claim: name, cause });

const buildNotRegisteredEvent = (
  { name }: NodeClaim,
  missed: 'LaunchTimeout' | 'RegistrationTimeout',
  at: number,
): ClusterEvent => ({
  kind: 'not-registered',
  at,
  claim: name,
  afterMs: missed === 'LaunchTimeout' ? LAUNCH_TIMEOUT_MS : REGISTRATION_TIMEOUT_MS,
});
