import { advance } from '../../lifecycle/advance.ts';
import type { Observed } from '../../lifecycle/observed.ts';
import { failReboot } from '../../lifecycle/reboot.ts';
import type { Step } from '../../lifecycle/step.ts';
import { recordBlockedDrain } from '../../lifecycle/termination/blocked-drain.ts';
import { recordRefusedRestarts } from '../../lifecycle/termination/blocked-restarts.ts';
import { recordDrainBlockers } from '../../lifecycle/termination/drain.ts';
import { RebootRefusedError, StaleNodeClaimError, StaleObjectError } from '../../model/errors.ts';
import { observeSize } from '../../model/nodes/learned-sizes.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import { recordFailedStart } from '../disruption/rollouts.ts';
import { launchClaim } from '../launch/launch-claims.ts';
import { launchIdOf } from '../launch/launch-groups.ts';
import { recordRegistration } from '../node-pool/registration-backoff.ts';
import { recordRegistrationHealth } from '../node-pool/registration-health.ts';
import { DRAIN_DELAY_MS, storeClaim } from '../support/claim-writes.ts';
import { isOwner } from '../support/ownership.ts';
import { hasTimeFor } from '../support/time-left.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';
import { type AppliedEffects, applyEffects } from './apply-effects.ts';
import { listAnswers, listHolders, publishEvents, reportStuckDrain } from './drain-events.ts';
import { isNewlyDeleting, sendFollowUpHints } from './follow-up-hints.ts';
import { hydrateClaim } from './hydrate.ts';
import { type ObservationOptions, observeClaim } from './observe-claim.ts';
import { restoreLaunch } from './restore-launch.ts';

/** More than the steps from stored to initialized, or from deleting to terminated. */
const MAX_STEPS = 8;
const RETRY_AFTER_MS = SECOND_MS;
/** A step of a node with many pods, whose evictions the API server delays, takes seconds. */
const MIN_TIME_FOR_STEP_MS = 15 * SECOND_MS;

/** Advances a claim as far as possible, and schedules its next reconciliation. */
export async function reconcileNodeClaim(
  ports: PortsOf<'nodeLifecycle'>,
  name: string,
  options: ObservationOptions = {},
): Promise<void> {
  if (!(await isOwner(ports))) return;
  // Until the record of the claim or of its launch can be read, nothing is done; the sweep tries again.
  await unlessUnreadable(() => advanceClaim(ports, name, options));
}

async function advanceClaim(ports: PortsOf<'nodeLifecycle'>, name: string, options: ObservationOptions): Promise<void> {
  const hasTime = (): boolean => hasTimeFor(ports, MIN_TIME_FOR_STEP_MS);
  for (let steps = 0; steps < MAX_STEPS && (steps === 0 || hasTime()); steps += 1) {
    const stored = await ports.nodeClaims.find(name);
    if (!stored || stored.claim.terminatedAt !== undefined) {
      if (!(await hydrateUnlessStored(ports, name, stored))) return;
    } else if ((await runStep(ports, stored, options)) === 'done') return;
  }
  await ports.queue.send({ topic: 'claim', claim: name }, ports.clock.now() + RETRY_AFTER_MS);
}

/**
 * @returns true if the name has a live record now
 */
async function hydrateUnlessStored(
  ports: PortsOf<'nodeLifecycle'>,
  name: string,
  ended: StoredNodeClaim | undefined,
): Promise<boolean> {
  try {
    return await hydrateClaim(ports, name, ended);
  } catch (error) {
    // Another process created the record meanwhile.
    if (error instanceof StaleNodeClaimError) return true;
    throw error;
  }
}

async function runStep(
  ports: PortsOf<'nodeLifecycle'>,
  stored: StoredNodeClaim,
  options: ObservationOptions,
): Promise<'more' | 'done'> {
  // Its launch may have an instance already, so it must not time out unread.
  if (!stored.claim.launch) await ports.launches.find(launchIdOf(stored.claim));
  const observed = await observeClaim(ports, stored.claim, options);
  if (await restoreLaunch(ports, stored, observed)) return 'more';
  let step = advance(stored.claim, observed);
  if (step.effects.some(({ kind }) => kind === 'launch')) return launchAndSchedule(ports, stored, step);

  try {
    const applied = await applyEffects(ports, step.effects, stored.claim).catch((error: unknown) => {
      if (!(error instanceof RebootRefusedError)) throw error;
      step = failReboot(stored.claim, error.message, observed.now);
      return NOTHING_REFUSED;
    });
    await recordStep(ports, stored, { step, observed, ...applied });
    await learnNodeSize(ports, stored.claim, step.claim, observed.nodes);
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError || error instanceof StaleObjectError)) throw error;
    await ports.queue.send(toClaimHint(stored.claim), observed.now + RETRY_AFTER_MS);
    return 'done';
  }

  if (isNewlyDeleting(stored.claim, step.claim)) {
    await ports.queue.send(toClaimHint(stored.claim), observed.now + DRAIN_DELAY_MS);
    return 'done';
  }
  const hasProgressed = step.claim !== stored.claim;
  if (hasProgressed || (step.wakeAt !== undefined && step.wakeAt <= observed.now)) return 'more';
  return awaitNextStep(ports, stored.claim, step);
}

/**
 * A wake-up for a deadline is sent for up to two seconds before it, and the rest of the time is waited
 * here: the queue delays by whole seconds, and a function may have to start first.
 */
const DEADLINE_LEAD_MS = 2 * SECOND_MS;

async function awaitNextStep(
  { queue, clock, sleep }: PortsOf<'nodeLifecycle'>,
  claim: NodeClaim,
  { wakeAt, deadlineAt }: Step,
): Promise<'more' | 'done'> {
  if (wakeAt === undefined) return 'done';
  if (!sleep || deadlineAt === undefined) {
    await queue.send(toClaimHint(claim), wakeAt);
    return 'done';
  }
  const now = clock.now();
  if (deadlineAt - now > DEADLINE_LEAD_MS) {
    await queue.send(toClaimHint(claim), Math.min(wakeAt, deadlineAt - DEADLINE_LEAD_MS));
    return 'done';
  }
  await sleep(wakeAt - now);
  return 'more';
}

const NOTHING_REFUSED: AppliedEffects = { refusals: [], refusedRestarts: new Map() };

const toClaimHint = ({ name }: NodeClaim) => ({ topic: 'claim', claim: name }) as const;

/** Launches a claim that was stored without an instance: the process that stored it crashed. */
async function launchAndSchedule(
  ports: PortsOf<'nodeLifecycle'>,
  stored: StoredNodeClaim,
  step: Step,
): Promise<'more' | 'done'> {
  if (step.wakeAt !== undefined) await ports.queue.send(toClaimHint(stored.claim), step.wakeAt);
  return (await launchClaim(ports, stored)) ? 'more' : 'done';
}

interface AppliedStep extends AppliedEffects {
  readonly step: Step;
  readonly observed: Observed;
}

/** Stores the claim before reporting events, so that each event is reported once. */
async function recordStep(
  ports: PortsOf<'nodeLifecycle'>,
  stored: StoredNodeClaim,
  { step, observed, refusals, refusedRestarts }: AppliedStep,
): Promise<void> {
  const restarted =
    step.claim.restarts === stored.claim.restarts
      ? step.claim
      : recordRefusedRestarts(stored.claim, step.claim, refusedRestarts);
  const blocked = recordDrainBlockers(restarted, listHolders(refusals), ports.clock.now());
  const claim = recordBlockedDrain(blocked, observed, listAnswers(refusals));
  if (claim === stored.claim) return;

  if (claim.terminatedAt === undefined) await storeClaim(ports, claim, stored.version);
  // The terminated claim's projection is removed and must not reappear.
  else await ports.nodeClaims.save(claim, stored.version);
  await publishEvents(ports, stored.claim, step, refusals);
  await reportStuckDrain(ports, stored.claim, claim);
  await sendFollowUpHints(ports, stored.claim, claim);
  await recordRegistration(ports, stored.claim, claim);
  await recordRegistrationHealth(ports, {
    before: stored.claim,
    after: claim,
    pool: observed.poolVersion,
  });
  await recordRegistrationTimeout(ports, stored.claim, claim);
}

async function recordRegistrationTimeout(
  ports: PortsOf<'nodeLifecycle'>,
  before: NodeClaim,
  after: NodeClaim,
): Promise<void> {
  if (before.removal === undefined && after.removal === 'RegistrationTimeout') {
    await recordFailedStart(ports, after, `${after.name} did not register in time`);
  }
}

/**
 * Records the actual size of a node when it registers and again when it is initialized, because the
 * kubelet reports its disk later than its memory. Later plans use these sizes.
 */
export async function learnNodeSize(
  { learnedSizes, clock }: Pick<Ports, 'learnedSizes' | 'clock'>,
  before: NodeClaim,
  after: NodeClaim,
  nodes: readonly Node[],
): Promise<void> {
  const { launch } = after;
  const [node, another] = nodes;
  if (!launch || !node || another || !hasJoined(before, after)) return;
  const size = observeSize(launch, node);
  if (size) await learnedSizes.learn(size, clock.now());
}

const hasJoined = (before: NodeClaim, after: NodeClaim): boolean =>
  (before.registeredAt === undefined && after.registeredAt !== undefined) ||
  (before.initializedAt === undefined && after.initializedAt !== undefined);
