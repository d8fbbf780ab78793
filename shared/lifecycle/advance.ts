import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import type { EpochMs } from '../model/time.ts';
import { absorb } from './object-changes.ts';
import { shortfall } from './consistency.ts';
import { markDeleting } from './termination/deletion.ts';
import { findDoom } from './termination/termination-reason.ts';
import { type Effect, type Step, waiting } from './step.ts';
import { expiresAt, livenessDeadline, nextStartingLook } from './deadlines.ts';
import { initialize } from './startup/initialization.ts';
import type { Observed } from './observed.ts';
import { register } from './startup/registration.ts';
import { terminate } from './termination/termination.ts';

/**
 * Takes a claim one step further. Pure, and safe to repeat: a step whose effects were done but
 * whose claim was not stored comes out the same once more.
 */
export function advance(stored: NodeClaim, observed: Observed): Step {
  if (stored.terminatedAt !== undefined) return waiting(stored);
  const { object } = observed;
  const claim = isSeen(object) ? absorb(stored, object) : stored;
  if (claim.deletingAt !== undefined) return terminate(claim, observed);

  const doom = findDoom(claim, observed);
  if (doom) {
    const { events, at = observed.now, ...why } = doom;
    return { claim: markDeleting(claim, { ...why, at }), effects: [], events };
  }

  const step = settle(claim, observed);
  return {
    ...step,
    // A missing object is no wish to delete. Before its launch, the launch shows it.
    effects: object === 'missing' && claim.launch ? [SHOW, ...step.effects] : step.effects,
    ...wakeAtEarliest(
      livenessDeadline(step.claim),
      expiresAt(claim),
      nextStartingLook(step.claim, observed.now),
    ),
  };
}

const SHOW: Effect = { kind: 'show' };

const isSeen = (object: Observed['object']): object is NodeClaimObject =>
  object !== undefined && object !== 'missing';

function settle(claim: NodeClaim, observed: Observed): Step {
  if (!claim.launch) return { ...waiting(claim), effects: [{ kind: 'launch' }] };
  if (claim.registeredAt === undefined) return register(claim, observed);
  if (claim.initializedAt === undefined) return initialize(claim, observed);
  return compare(claim, observed);
}

/** Says what a node lacks, and does nothing about it: its pods may run all the same. */
function compare(claim: NodeClaim, { nodes: [node], now }: Observed): Step {
  const text = node && shortfall(claim, node);
  if (!node || text === claim.shortfall?.text) return waiting(claim);

  const { shortfall: _, ...rest } = claim;
  if (text === undefined) return waiting(rest);
  return {
    claim: { ...rest, shortfall: { text, since: claim.shortfall?.since ?? now } },
    effects: [],
    events: [{ kind: 'inconsistent', at: now, claim: claim.name, text }],
  };
}

function wakeAtEarliest(...times: readonly (EpochMs | undefined)[]): { wakeAt?: EpochMs } {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? { wakeAt: Math.min(...known) } : {};
}
