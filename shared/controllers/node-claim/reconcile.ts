import { advance } from '../../lifecycle/advance.ts';
import { noteRefusals } from '../../lifecycle/refusals.ts';
import type { Step } from '../../lifecycle/step.ts';
import { StaleNodeClaimError, StaleObjectError } from '../../model/errors.ts';
import type { ClusterEvent } from '../../model/events.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import { podKey } from '../../model/pod.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Stored } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';
import { HEAD_START_MS } from '../support/claim-writes.ts';
import { requestTurn } from '../support/disruption-turn.ts';
import { launchClaim } from '../launch/launch-claims.ts';
import { learnSize } from './learn-size.ts';
import { nominate } from '../support/nominate.ts';
import { type Doubt, observeClaim } from './observe-claim.ts';
import { isOwner } from '../support/ownership.ts';
import { perform, type Refusal } from './apply-effects.ts';
import { noteRegistration } from '../node-pool/registration-backoff.ts';
import { noteFailedStart } from '../disruption/rollouts.ts';
import { storeClaim } from '../support/store-claim.ts';
import { takeUpClaim } from './hydrate.ts';

/** From stored to initialized, or from deleted to gone, takes fewer steps than this. */
const MOST_STEPS = 8;
const RETRY_AFTER_MS = SECOND_MS;

/** Takes a claim as far as it gets now, and sees to it that it is looked at again in time. */
export async function reconcileNodeClaim(
  ports: Ports,
  name: string,
  doubt: Doubt = {},
): Promise<void> {
  if (!(await isOwner(ports))) return;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const stored = await ports.nodeClaims.find(name);
    if (!stored || stored.claim.terminatedAt !== undefined) {
      if (!(await takeUp(ports, name, stored))) return;
    } else if ((await takeStep(ports, stored, doubt)) === 'done') return;
  }
  await ports.queue.send({ topic: 'claim', claim: name }, ports.clock.now() + RETRY_AFTER_MS);
}

/** @returns whether the name has a claim now that goes on */
async function takeUp(ports: Ports, name: string, ended: Stored | undefined): Promise<boolean> {
  try {
    return await takeUpClaim(ports, name, ended);
  } catch (error) {
    // Somebody else made the record: it was no orphan.
    if (error instanceof StaleNodeClaimError) return true;
    throw error;
  }
}

async function takeStep(ports: Ports, stored: Stored, doubt: Doubt): Promise<'more' | 'done'> {
  const observed = await observeClaim(ports, stored.claim, doubt);
  const step = advance(stored.claim, observed);
  if (step.effects.some(({ kind }) => kind === 'launch')) return launch(ports, stored, step);

  try {
    const refusals = await perform(ports, step.effects, stored.claim);
    await record(ports, stored, step, refusals);
    await learnSize(ports, stored.claim, step.claim, observed.nodes);
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError || error instanceof StaleObjectError)) throw error;
    await ports.queue.send(hintAt(stored.claim), observed.now + RETRY_AFTER_MS);
    return 'done';
  }

  if (isDoomed(stored.claim, step.claim)) {
    await ports.queue.send(hintAt(stored.claim), observed.now + HEAD_START_MS);
    return 'done';
  }
  const progressed = step.claim !== stored.claim;
  if (progressed || (step.wakeAt !== undefined && step.wakeAt <= observed.now)) return 'more';
  if (step.wakeAt !== undefined) await ports.queue.send(hintAt(stored.claim), step.wakeAt);
  return 'done';
}

const isDoomed = (before: NodeClaim, after: NodeClaim): boolean =>
  before.deletingAt === undefined && after.deletingAt !== undefined;

const hintAt = ({ name }: NodeClaim) => ({ topic: 'claim', claim: name }) as const;

/** A record without a launch: whoever stored it died, so that it is up to us. */
async function launch(ports: Ports, stored: Stored, step: Step): Promise<'more' | 'done'> {
  if (step.wakeAt !== undefined) await ports.queue.send(hintAt(stored.claim), step.wakeAt);
  return (await launchClaim(ports, stored)) ? 'more' : 'done';
}

/** Stores what the effects made true, then tells of it, so that nothing is told twice. */
async function record(
  ports: Ports,
  stored: Stored,
  step: Step,
  refusals: readonly Refusal[],
): Promise<void> {
  const claim = noteRefusals(step.claim, holdersIn(refusals), ports.clock.now());
  if (claim === stored.claim) return;

  if (claim.terminatedAt === undefined) await storeClaim(ports, claim, stored.version);
  // Finished: its projection is gone, and must not come back.
  else await ports.nodeClaims.save(claim, stored.version);
  await announce(ports, stored.claim, step, refusals);
  await wakeOthers(ports, stored.claim, claim);
  await noteRegistration(ports, stored.claim, claim);
  await noteRollout(ports, stored.claim, claim);
}

async function noteRollout(ports: Ports, before: NodeClaim, after: NodeClaim): Promise<void> {
  if (before.removal === undefined && after.removal === 'RegistrationTimeout') {
    await noteFailedStart(ports, after, `${after.name} did not register in time`);
  }
}

async function announce(
  { journal, clock }: Ports,
  before: NodeClaim,
  { events }: Step,
  refusals: readonly Refusal[],
): Promise<void> {
  for (const event of events) await journal.happened(event);
  const known = new Set(Object.keys(before.heldUpBy ?? {}));
  for (const refusal of refusals) {
    const holder = holderIn(refusal);
    if (known.has(holder)) continue;
    known.add(holder);
    await journal.happened(refusalEvent(refusal, clock.now()));
  }
}

function refusalEvent(refusal: Refusal, at: EpochMs): ClusterEvent {
  const pod = podKey(refusal.pod);
  return 'pdb' in refusal
    ? { kind: 'eviction-refused', at, pod, pdb: refusal.pdb }
    : { kind: 'eviction-failed', at, pod, why: refusal.why };
}

/** A budget keeps many pods, and is told of once; whatever else keeps one is told of for each. */
const holderIn = (refusal: Refusal): string =>
  'pdb' in refusal ? `${refusal.pod.namespace}/${refusal.pdb}` : `Pod ${podKey(refusal.pod)}`;

const holdersIn = (refusals: readonly Refusal[]): readonly string[] => [
  ...new Set(refusals.map(holderIn)),
];

async function wakeOthers(ports: Ports, before: NodeClaim, after: NodeClaim): Promise<void> {
  const { queue } = ports;
  // Its pods are planned now, while they still run, not when they are pending.
  if (isDoomed(before, after)) {
    await queue.send({ topic: 'plan' });
  }
  if (before.initializedAt === undefined && after.initializedAt !== undefined) {
    // The pods it was made for bind in the next moments: until then it is not empty.
    await nominate(ports, [after.name]);
    if (await isReplacement(ports, after)) await queue.send({ topic: 'disrupt' });
  }
  // Budgets may have room again.
  if (after.terminatedAt !== undefined) await requestTurn(ports, after.terminatedAt);
}

/** A command waits for it: every second counts twice, for two nodes are paid. */
async function isReplacement({ commands }: Ports, { name }: NodeClaim): Promise<boolean> {
  const waiting = await commands.list();
  return waiting.some(({ replacements }) => replacements.some(({ claim }) => claim.name === name));
}
