import type { NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import { markDeleting } from './deletion.ts';
import { findDoom } from './doom.ts';
import { expiresAt } from './expiration.ts';
import { initialize } from './initialization.ts';
import { livenessDeadline } from './liveness.ts';
import type { Observed } from './observed.ts';
import { register } from './registration.ts';
import { type Step, waiting } from './step.ts';
import { terminate } from './termination.ts';

/**
 * Takes a claim one step further. Pure, and safe to repeat: a step whose effects were done but
 * whose claim was not stored comes out the same once more.
 */
export function advance(claim: NodeClaim, observed: Observed): Step {
  if (claim.terminatedAt !== undefined) return waiting(claim);
  if (claim.deletingAt !== undefined) return terminate(claim, observed);

  const doom = findDoom(claim, observed);
  if (doom) {
    const { removal, events } = doom;
    return { claim: markDeleting(claim, { removal, at: observed.now }), effects: [], events };
  }

  const step = settle(claim, observed);
  return { ...step, ...wakeAtEarliest(livenessDeadline(claim), expiresAt(claim)) };
}

function settle(claim: NodeClaim, observed: Observed): Step {
  if (!claim.launch) return { ...waiting(claim), effects: [{ kind: 'launch' }] };
  if (claim.registeredAt === undefined) return register(claim, observed);
  if (claim.initializedAt === undefined) return initialize(claim, observed);
  return waiting(claim);
}

function wakeAtEarliest(...times: readonly (EpochMs | undefined)[]): { wakeAt?: EpochMs } {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? { wakeAt: Math.min(...known) } : {};
}
