import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { ShiftedZone } from '../../model/offerings/zones.ts';
import { type EpochMs, formatInstant, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import { withoutWait, withWait } from '../claim-wait.ts';
import { hasEnded, isInstanceGone } from '../instance-absence.ts';
import { releaseNode, taintAndDelete } from '../node-edits.ts';
import type { Observed } from '../observed.ts';
import { recoverRegistration } from '../startup/registration.ts';
import { type Step, waitStep } from '../step.ts';
import { planRestarts } from './blocked-restarts.ts';
import { planDrain, toDrainLimit } from './drain.ts';
import { findBlockingVolumes, formatVolumeNames } from './volume-detachment.ts';

/**
 * Time for kube-scheduler to see the taint. Pods that it binds before that still have to be
 * drained.
 */
const MIN_DRAIN_MS = 5 * SECOND_MS;
const INSTANCE_POLL_MS = 5 * SECOND_MS;
const MAX_FINALIZER_POLL_MS = 10 * MINUTE_MS;
/** A shift may end early. The check reads the table, not EC2. */
const SHIFT_POLL_MS = 30 * SECOND_MS;
const QUICK_POLL_MS = SECOND_MS;
const SLOW_POLL_MS = 10 * SECOND_MS;
/** A drain that takes this long waits for a user's action, so that slow polling suffices. */
const LONG_DRAIN_MS = 5 * MINUTE_MS;
const LONG_DRAIN_POLL_MS = 30 * SECOND_MS;

/**
 * The termination sequence: taint and delete the Node, drain, detach volumes, terminate the
 * instance, release the Node, finish the claim.
 */
export function terminate(stored: NodeClaim, observed: Observed): Step {
  const claim = recoverRegistration(stored, observed);
  if (claim.registeredAt === undefined) return endInstance(claim, observed);

  const { nodes, hasUnreadableNode } = observed;
  // It may have pods: the drain waits until the Node can be read.
  if (hasUnreadableNode && !hasEnded(claim, observed)) return pollAgain(claim, observed.now);
  if (nodes.length === 0 || isInstanceGone(claim, observed)) return endInstance(claim, observed);
  if (claim.drainedAt !== undefined) return awaitVolumeDetachment(claim, observed);
  return claim.drainingAt === undefined ? startDrain(claim, observed) : drain(claim, observed);
}

function startDrain(claim: NodeClaim, { nodes, pods, now }: Observed): Step {
  const podCount = planDrain(pods, now, toDrainLimit(claim)).waiting.length;
  return {
    claim: { ...claim, drainingAt: now },
    effects: nodes.flatMap(taintAndDelete),
    events: podCount > 0 ? [buildDrainingEvent(claim, podCount, now)] : [],
  };
}

const buildDrainingEvent = ({ name, drainDeadline }: NodeClaim, pods: number, at: EpochMs) => ({
  kind: 'draining' as const,
  at,
  claim: name,
  pods,
  ...(drainDeadline !== undefined && { deadline: drainDeadline }),
});

function drain(claim: NodeClaim, observed: Observed): Step {
  const { pods, budgets = [], interruptedElsewhere, now } = observed;
  const startedAt = claim.drainingAt ?? now;
  const drainedNoEarlier = computeEarliestEnd(claim, startedAt);
  const limit = toDrainLimit(claim);
  const plan = planDrain(pods, now, limit, budgets, interruptedElsewhere);
  const { effects, waiting: remainingPods, wakeAt } = plan;
  if (remainingPods.length > 0) {
    // By then every pod was deleted. One that still exists may never end.
    const endAt = Math.max(claim.drainDeadline ?? Number.POSITIVE_INFINITY, startedAt + MIN_DRAIN_MS);
    if (now >= endAt) {
      // In one step: each further one takes a write and an observation, after the deadline.
      const ended = awaitVolumeDetachment({ ...claim, drainedAt: now }, observed);
      return { ...ended, effects: [...effects, ...ended.effects] };
    }
    const pollAt = now + computePollMs(now - startedAt);
    const restarts = planRestarts(claim, observed);
    return {
      claim: restarts.claim,
      effects: [...effects, ...restarts.effects],
      events: [],
      wakeAt: Math.min(wakeAt ?? pollAt, pollAt, endAt),
      ...(Number.isFinite(endAt) && { deadlineAt: endAt }),
    };
  }

  if (now < drainedNoEarlier) return { ...waitStep(claim), wakeAt: drainedNoEarlier };
  return { ...waitStep({ ...claim, drainedAt: now }), wakeAt: now };
}

/**
 * The minimum of the NodePool begins with the label that excludes the node from load balancers, and
 * ends at the deadline at the latest.
 */
const computeEarliestEnd = (
  { minDrainMs = 0, drainDeadline = Number.POSITIVE_INFINITY }: NodeClaim,
  startedAt: EpochMs,
): EpochMs => Math.max(startedAt + MIN_DRAIN_MS, Math.min(startedAt + minDrainMs, drainDeadline));

/** A tenth of the drain's duration: short drains are polled often, long drains rarely. */
function computePollMs(sinceMs: number): number {
  if (sinceMs > LONG_DRAIN_MS) return LONG_DRAIN_POLL_MS;
  return Math.min(Math.max(sinceMs / 10, QUICK_POLL_MS), SLOW_POLL_MS);
}

/**
 * Waits between drain and termination: a volume that is attached when its instance ends is blocked
 * for minutes.
 */
function awaitVolumeDetachment(claim: NodeClaim, observed: Observed): Step {
  const { volumes, pods, now } = observed;
  const isOver = claim.volumesDetachedAt !== undefined || claim.terminatingAt !== undefined;
  if (isOver || !volumes) return endInstance(claim, observed);
  const blocking = findBlockingVolumes(volumes, pods, now);
  if (blocking.length === 0) {
    return endInstance({ ...withoutWait(claim), volumesDetachedAt: now }, observed);
  }
  if (now >= (claim.drainDeadline ?? Number.POSITIVE_INFINITY)) {
    return endInstance(withWait(claim, GRACE_PERIOD_ELAPSED, now), observed);
  }

  const names = formatVolumeNames(blocking);
  const isFirstReport = claim.waitsFor?.condition !== 'VolumesDetached';
  const pollAt = now + computePollMs(now - (claim.drainedAt ?? now));
  return {
    claim: withWait(claim, { ...VOLUMES_ATTACHED, message: names }, now),
    effects: [],
    events: isFirstReport ? [{ kind: 'volumes-attached', at: now, claim: claim.name, volumes: names }] : [],
    wakeAt: Math.min(pollAt, claim.drainDeadline ?? pollAt),
    ...(claim.drainDeadline !== undefined && { deadlineAt: claim.drainDeadline }),
  };
}

const VOLUMES_ATTACHED = {
  condition: 'VolumesDetached',
  status: 'Unknown',
  reason: 'AwaitingVolumeDetachment',
} as const;

const GRACE_PERIOD_ELAPSED = {
  condition: 'VolumesDetached',
  status: 'False',
  reason: 'TerminationGracePeriodElapsed',
  message: 'the deadline has come with volumes attached',
} as const;

function endInstance(claim: NodeClaim, observed: Observed): Step {
  const { instance, nodes, now } = observed;
  if (instance?.shift) return awaitShiftEnd(claim, instance.shift, now);
  const providerId = claim.launch?.providerId ?? instance?.providerId;
  if (providerId === undefined) return instance ? finish(claim, now) : pollAgain(claim, now);
  if (hasEnded(claim, observed)) return releaseNodes(claim, nodes, now);

  // A second call would be harmless, but counts against EC2's request limits.
  if (instance?.state === 'shutting-down' && claim.terminatingAt !== undefined) {
    return pollAgain(claim, now);
  }
  return {
    claim: { ...withoutShiftWait(claim), terminatingAt: claim.terminatingAt ?? now },
    effects: [{ kind: 'terminate-instance', providerId }],
    events: [],
    wakeAt: now + INSTANCE_POLL_MS,
  };
}

/** Nothing is terminated in a shifted zone, because EC2's answers there may be missing or wrong. */
const awaitShiftEnd = (claim: NodeClaim, { zone, until }: ShiftedZone, now: EpochMs): Step => ({
  ...waitStep(
    withWait(
      claim,
      {
        condition: 'InstanceTerminating',
        status: 'Unknown',
        reason: 'ZonalShift',
        message: `${zone} is shifted away from until ${formatInstant(until)}`,
      },
      now,
    ),
  ),
  wakeAt: Math.min(until, now + SHIFT_POLL_MS),
});

const withoutShiftWait = (claim: NodeClaim): NodeClaim =>
  claim.waitsFor?.condition === 'InstanceTerminating' ? withoutWait(claim) : claim;

const pollAgain = (claim: NodeClaim, now: EpochMs): Step => ({
  ...waitStep(claim),
  wakeAt: now + INSTANCE_POLL_MS,
});

/** A Node that never registered has no finalizer of ours; the cloud controller removes it. */
function releaseNodes(claim: NodeClaim, nodes: readonly Node[], now: EpochMs): Step {
  if (claim.registeredAt === undefined || nodes.length === 0) return finish(claim, now);

  const effects = nodes.flatMap(releaseNode);
  if (effects.length === 0) return awaitForeignFinalizers(claim, nodes, now);
  return { claim, effects, events: [], wakeAt: now };
}

/** Other controllers hold the Node, possibly for ever: it is looked at ever more rarely. */
function awaitForeignFinalizers(claim: NodeClaim, nodes: readonly Node[], now: EpochMs): Step {
  const held = nodes.map(({ name, finalizers }) => `${name}: ${finalizers.join(', ')}`).join('; ');
  const sinceMs = now - (claim.terminatingAt ?? now);
  const pollMs = Math.min(Math.max(sinceMs / 10, INSTANCE_POLL_MS), MAX_FINALIZER_POLL_MS);
  const wait = {
    condition: 'InstanceTerminating',
    status: 'Unknown',
    reason: 'NodeFinalizers',
    message: `the instance has ended; finalizers of others hold its Node ${held}`,
  } as const;
  return { ...waitStep(withWait(claim, wait, now)), wakeAt: now + pollMs };
}

function finish(claim: NodeClaim, now: EpochMs): Step {
  const { launch, name } = claim;
  return {
    claim: { ...claim, terminatedAt: now },
    effects: [{ kind: 'finish' }],
    events: launch ? [{ kind: 'terminated', at: now, claim: name, livedMs: now - launch.at }] : [],
  };
}
