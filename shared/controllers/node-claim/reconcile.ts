import { advance } from '../../lifecycle/advance.ts';
import type { Step } from '../../lifecycle/step.ts';
import { noteRefusals } from '../../lifecycle/termination/drain.ts';
import { StaleNodeClaimError, StaleObjectError } from '../../model/errors.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import { sizeSeen } from '../../model/nodes/learned-sizes.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { podKey } from '../../model/pods/pod.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Stored } from '../../ports/records.ts';
import { recordFailedStart } from '../disruption/rollouts.ts';
import { launchClaim } from '../launch/launch-claims.ts';
import { recordRegistration } from '../node-pool/registration-backoff.ts';
import { DRAIN_DELAY_MS, storeClaim } from '../support/claim-writes.ts';
import { requestDisruption } from '../support/hints.ts';
import { nominate } from '../support/nominate.ts';
import { isOwner } from '../support/ownership.ts';
import { applyEffects, type EvictionRefusal } from './apply-effects.ts';
import { hydrateClaim } from './hydrate.ts';
import { type InstanceDoubt, observeClaim } from './observe-claim.ts';

/** From stored to initialized, or from deleted to gone, takes fewer steps than this. */
const MAX_STEPS = 8;
const RETRY_AFTER_MS = SECOND_MS;

/** Takes a claim as far as it gets now, and sees to it that it is looked at again in time. */
export async function reconcileNodeClaim(
  ports: Ports,
  name: string,
  doubt: InstanceDoubt = {},
): Promise<void> {
  if (!(await isOwner(ports))) return;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const stored = await ports.nodeClaims.find(name);
    if (!stored || stored.claim.terminatedAt !== undefined) {
      if (!(await hydrateUnlessStored(ports, name, stored))) return;
    } else if ((await runStep(ports, stored, doubt)) === 'done') return;
  }
  await ports.queue.send({ topic: 'claim', claim: name }, ports.clock.now() + RETRY_AFTER_MS);
}

/** @returns whether the name has a claim now that goes on */
async function hydrateUnlessStored(ports: Ports, name: string, ended: Stored | undefined): Promise<boolean> {
  try {
    return await hydrateClaim(ports, name, ended);
  } catch (error) {
    // Somebody else made the record: it was no orphan.
    if (error instanceof StaleNodeClaimError) return true;
    throw error;
  }
}

async function runStep(ports: Ports, stored: Stored, doubt: InstanceDoubt): Promise<'more' | 'done'> {
  const observed = await observeClaim(ports, stored.claim, doubt);
  const step = advance(stored.claim, observed);
  if (step.effects.some(({ kind }) => kind === 'launch')) return launchAndSchedule(ports, stored, step);

  try {
    const refusals = await applyEffects(ports, step.effects, stored.claim);
    await recordStep(ports, stored, step, refusals);
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
  const progressed = step.claim !== stored.claim;
  if (progressed || (step.wakeAt !== undefined && step.wakeAt <= observed.now)) return 'more';
  if (step.wakeAt !== undefined) await ports.queue.send(toClaimHint(stored.claim), step.wakeAt);
  return 'done';
}

const isNewlyDeleting = (before: NodeClaim, after: NodeClaim): boolean =>
  before.deletingAt === undefined && after.deletingAt !== undefined;

const toClaimHint = ({ name }: NodeClaim) => ({ topic: 'claim', claim: name }) as const;

/** A record without a launch: whoever stored it died, so that it is up to us. */
async function launchAndSchedule(ports: Ports, stored: Stored, step: Step): Promise<'more' | 'done'> {
  if (step.wakeAt !== undefined) await ports.queue.send(toClaimHint(stored.claim), step.wakeAt);
  return (await launchClaim(ports, stored)) ? 'more' : 'done';
}

/** Stores what the effects made true, then tells of it, so that nothing is told twice. */
async function recordStep(
  ports: Ports,
  stored: Stored,
  step: Step,
  refusals: readonly EvictionRefusal[],
): Promise<void> {
  const claim = noteRefusals(step.claim, listHolders(refusals), ports.clock.now());
  if (claim === stored.claim) return;

  if (claim.terminatedAt === undefined) await storeClaim(ports, claim, stored.version);
  // Finished: its projection is gone, and must not come back.
  else await ports.nodeClaims.save(claim, stored.version);
  await publishEvents(ports, stored.claim, step, refusals);
  await sendFollowUpHints(ports, stored.claim, claim);
  await recordRegistration(ports, stored.claim, claim);
  await recordRegistrationTimeout(ports, stored.claim, claim);
}

async function recordRegistrationTimeout(ports: Ports, before: NodeClaim, after: NodeClaim): Promise<void> {
  if (before.removal === undefined && after.removal === 'RegistrationTimeout') {
    await recordFailedStart(ports, after, `${after.name} did not register in time`);
  }
}

async function publishEvents(
  { journal, clock }: Ports,
  before: NodeClaim,
  { events }: Step,
  refusals: readonly EvictionRefusal[],
): Promise<void> {
  for (const event of events) await journal.happened(event);
  const reportedHolders = new Set(Object.keys(before.heldUpBy ?? {}));
  for (const refusal of refusals) {
    const holder = toHolder(refusal);
    if (reportedHolders.has(holder)) continue;
    reportedHolders.add(holder);
    await journal.happened(toRefusalEvent(refusal, clock.now()));
  }
}

function toRefusalEvent(refusal: EvictionRefusal, at: EpochMs): ClusterEvent {
  const pod = podKey(refusal.pod);
  return 'pdb' in refusal
    ? { kind: 'eviction-refused', at, pod, pdb: refusal.pdb }
    : { kind: 'eviction-failed', at, pod, why: refusal.why };
}

/** A budget keeps many pods, and is told of once; whatever else keeps one is told of for each. */
const toHolder = (refusal: EvictionRefusal): string =>
  'pdb' in refusal ? `${refusal.pod.namespace}/${refusal.pdb}` : `Pod ${podKey(refusal.pod)}`;

const listHolders = (refusals: readonly EvictionRefusal[]): readonly string[] => [
  ...new Set(refusals.map(toHolder)),
];

async function sendFollowUpHints(ports: Ports, before: NodeClaim, after: NodeClaim): Promise<void> {
  const { queue } = ports;
  // Its pods are planned now, while they still run, not when they are pending.
  if (isNewlyDeleting(before, after)) {
    await queue.send({ topic: 'plan' });
  }
  if (before.initializedAt === undefined && after.initializedAt !== undefined) {
    // The pods it was made for bind in the next moments: until then it is not empty.
    await nominate(ports, [after.name]);
    if (await isReplacement(ports, after)) await queue.send({ topic: 'disrupt' });
  }
  // Budgets may have room again.
  if (after.terminatedAt !== undefined) await requestDisruption(ports, after.terminatedAt);
}

/** A command waits for it: every second counts twice, for two nodes are paid. */
async function isReplacement({ commands }: Ports, { name }: NodeClaim): Promise<boolean> {
  const waiting = await commands.list();
  return waiting.some(({ replacements }) => replacements.some(({ claim }) => claim.name === name));
}

/**
 * Remembers what a node turned out to have when it joins, and again when it is initialized: the
 * kubelet knows its disk later than its memory. From then on plans count with that.
 */
export async function learnNodeSize(
  { learnedSizes, clock }: Pick<Ports, 'learnedSizes' | 'clock'>,
  before: NodeClaim,
  after: NodeClaim,
  nodes: readonly Node[],
): Promise<void> {
  const { launch: launchAndSchedule } = after;
  const [node, another] = nodes;
  if (!launchAndSchedule || !node || another || !hasJoined(before, after)) return;
  const seen = sizeSeen(launchAndSchedule, node);
  if (seen) await learnedSizes.learn(seen, clock.now());
}

const hasJoined = (before: NodeClaim, after: NodeClaim): boolean =>
  (before.registeredAt === undefined && after.registeredAt !== undefined) ||
  (before.initializedAt === undefined && after.initializedAt !== undefined);
