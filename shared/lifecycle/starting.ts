import type { NodeClaim } from '../model/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../model/time.ts';

/**
 * A node joins within a minute, and pods wait for it. The API server's word of it may be lost, or
 * nobody may ask for it: so we look ourselves, more often than the sweep.
 */
export const STARTING_LOOK_MS = 15 * SECOND_MS;

/** What takes longer has a reason that a quarter of a minute does not change: the sweep looks on. */
const STARTS_WITHIN_MS = 10 * MINUTE_MS;

/** When to look again at a claim that was launched and takes no pods yet; absent for any other. */
export const nextStartingLook = (
  { launch, initializedAt, deletingAt }: NodeClaim,
  now: EpochMs,
): EpochMs | undefined =>
  launch &&
  now < launch.at + STARTS_WITHIN_MS &&
  initializedAt === undefined &&
  deletingAt === undefined
    ? now + STARTING_LOOK_MS
    : undefined;
