import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { InterruptionCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim, RemovalReason } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import { isExpired, LAUNCH_TIMEOUT_MS, missedDeadline, REGISTRATION_TIMEOUT_MS } from '../deadlines.ts';
import type { Observed } from '../observed.ts';

/** Why a claim that nobody asked to remove has to go. */
export interface Doom {
  readonly removal: RemovalReason;
  readonly interruption?: InterruptionCause;
  /** When it was asked for; absent: it is found out now. */
  readonly at?: EpochMs;
  readonly events: readonly ClusterEvent[];
}

export function findDoom(claim: NodeClaim, observed: Observed): Doom | undefined {
  const { now, object } = observed;
  if (object !== undefined && object !== 'missing' && object.deletionAt !== undefined) {
    return { removal: 'Requested', at: object.deletionAt, events: [] };
  }
  if (isExpired(claim, now)) {
    return { removal: 'Expired', events: [{ kind: 'expired', at: now, claim: claim.name }] };
  }

  const missed = missedDeadline(claim, now);
  if (missed) return { removal: missed, events: [notRegistered(claim, missed, now)] };

  const deletionAt = observed.nodes.find((node) => node.deletionAt !== undefined)?.deletionAt;
  if (deletionAt !== undefined) return { removal: 'Requested', at: deletionAt, events: [] };
  const ending = ENDING[observed.instance?.state ?? ''];
  if (ending) return interrupted(claim, ending, now);
  return isInstanceGone(claim, observed) ? { removal: 'InstanceGone', events: [] } : undefined;
}

/** None of these states passes by itself. */
const ENDING: Readonly<Record<string, 'instance_stopped' | 'instance_terminated'>> = {
  stopped: 'instance_stopped',
  'shutting-down': 'instance_terminated',
};

const interrupted = (
  { name }: NodeClaim,
  cause: 'instance_stopped' | 'instance_terminated',
  at: EpochMs,
): Doom => ({
  removal: 'Interrupted',
  interruption: cause,
  events: [{ kind: 'impaired', at, claim: name, cause }],
});

const notRegistered = (
  { name }: NodeClaim,
  missed: 'LaunchTimeout' | 'RegistrationTimeout',
  at: number,
): ClusterEvent => ({
  kind: 'not-registered',
  at,
  claim: name,
  afterMs: missed === 'LaunchTimeout' ? LAUNCH_TIMEOUT_MS : REGISTRATION_TIMEOUT_MS,
});

/**
 * A ready Node is believed more than EC2's answer: its kubelet is alive, and lists may be old. A
 * claim that did not register is left to its deadline.
 */
const isInstanceGone = (
  { registeredAt }: NodeClaim,
  { instance, nodes }: Pick<Observed, 'instance' | 'nodes'>,
): boolean =>
  registeredAt !== undefined && instance?.state === 'gone' && !nodes.some(({ ready }) => ready);
