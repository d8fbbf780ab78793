import { computeForcedExpiry } from '../model/nodes/expiry.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import { ownValue } from '../model/own-value.ts';
import { formatAmount } from '../model/quantity.ts';
import type { EpochMs } from '../model/time.ts';
import { computeNextTracking, trackConsolidation } from './consolidatable.ts';
import { computeLivenessDeadline, computeNextStartupCheck } from './deadlines.ts';
import { computeAbsenceCheck, recordAbsentInstance } from './instance-absence.ts';
import { computeMissingNodeDeadline, recordMissingNode } from './missing-node.ts';
import { applyObjectChanges } from './object-changes.ts';
import type { Observed } from './observed.ts';
import { advanceReboot } from './reboot.ts';
import { computeNextFirstPodCheck, recordFirstPod } from './startup/first-pod.ts';
import { initialize } from './startup/initialization.ts';
import { register } from './startup/registration.ts';
import { type Effect, type Step, waitStep } from './step.ts';
import { markDeleting } from './termination/deletion.ts';
import { terminate } from './termination/termination.ts';
import { findTerminationReason } from './termination/termination-reason.ts';

/**
 * Advances a claim by one step of its life cycle. Pure and repeatable: if effects were performed
 * but the claim was not stored, the same step comes out again.
 */
export function advance(stored: NodeClaim, observed: Observed): Step {
  if (stored.terminatedAt !== undefined) return waitStep(stored);
  const { object } = observed;
  const observedClaim = recordAbsentInstance(stored, observed);
  const changed = isPresent(object) ? applyObjectChanges(observedClaim, object) : observedClaim;
  if (changed.deletingAt !== undefined) return terminate(changed, observed);

  const claim = recordMissingNode(changed, observed);
  const termination = findTerminationReason(claim, observed);
  if (termination) {
    const { events, at = observed.now, ...cause } = termination;
    return { claim: markDeleting(claim, { ...cause, at }), effects: [], events };
  }

  const advanced = advanceReboot(claim, observed) ?? advanceActive(claim, observed);
  const step = { ...advanced, claim: trackConsolidation(advanced.claim, observed) };
  return {
    ...step,
    // A missing object is no deletion request; the claim's object is written again. Before the
    // launch, the launch itself writes it.
    effects: object === 'missing' && claim.launch ? [SHOW_EFFECT, ...step.effects] : step.effects,
    ...wakeAtEarliest(
      advanced.wakeAt,
      computeLivenessDeadline(step.claim),
      computeForcedExpiry(claim),
      computeMissingNodeDeadline(claim),
      computeAbsenceCheck(claim),
      computeNextStartupCheck(step.claim, observed.now),
      computeNextTracking(step.claim, observed),
      computeNextFirstPodCheck(step.claim, observed.now),
    ),
  };
}

const SHOW_EFFECT: Effect = { kind: 'show' };

const isPresent = (object: Observed['object']): object is NodeClaimObject =>
  object !== undefined && object !== 'missing';

function advanceActive(claim: NodeClaim, observed: Observed): Step {
  if (!claim.launch) return { ...waitStep(claim), effects: [{ kind: 'launch' }] };
  if (claim.registeredAt === undefined) return register(claim, observed);
  if (claim.initializedAt === undefined) return initialize(claim, observed);
  return checkConsistency(recordFirstPod(claim, observed), observed);
}

function wakeAtEarliest(...times: readonly (EpochMs | undefined)[]): { wakeAt?: EpochMs } {
  const defined = times.filter((time) => time !== undefined);
  return defined.length > 0 ? { wakeAt: Math.min(...defined) } : {};
}

/** Minimum share of the instance's expected capacity that a node must report. */
const MIN_SHARE = 0.9;

/** Reports what a node lacks, without consequences: its pods may run nevertheless. */
function checkConsistency(claim: NodeClaim, { nodes: [node], now }: Observed): Step {
  const text = node && findShortfall(claim, node);
  if (!node || text === claim.shortfall?.text) return waitStep(claim);

  const { shortfall: _, ...claimWithoutShortfall } = claim;
  if (text === undefined) return waitStep(claimWithoutShortfall);
  return {
    claim: { ...claimWithoutShortfall, shortfall: { text, since: claim.shortfall?.since ?? now } },
    effects: [],
    events: [{ kind: 'inconsistent', at: now, claim: claim.name, text }],
  };
}

/**
 * Describes the first requested resource of which the node reports too little.
 *
 * @returns `undefined` if the node has the expected capacity
 */
function findShortfall({ launch, requests }: NodeClaim, node: Node): string | undefined {
  for (const [name, requested] of Object.entries(requests)) {
    const expected = ownValue(launch?.capacity, name) ?? 0;
    const actual = ownValue(node.capacity, name) ?? 0;
    if (requested <= 0 || expected <= 0 || actual >= MIN_SHARE * expected) continue;

    const share = ((actual / expected) * 100).toFixed(1);
    const [expectedText, actualText] = [expected, actual].map((amount) => formatAmount(name, amount));
    return `expected ${expectedText} of ${name}, found ${actualText} (${share} %)`;
  }
  return undefined;
}
