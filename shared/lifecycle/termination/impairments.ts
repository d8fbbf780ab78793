import type { Impairment, ImpairmentCause } from '../../model/nodes/interruption.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';

/** Most of what fails for less heals by itself: a reboot, a moment without network. */
const TOLERATED_MS = 2 * MINUTE_MS;

/** Gravest first: hardware that does not work says more than an instance that does not answer. */
const CAUSES: readonly ImpairmentCause[] = ['system_status', 'instance_status', 'event_status'];

/**
 * What of all that is wrong with an instance has lasted too long, gravest first.
 *
 * @param impairments - of this instance
 */
export function listLastingCauses(
  impairments: readonly Impairment[],
  now: EpochMs,
): readonly ImpairmentCause[] {
  const lastingImpairments = impairments.filter(
    ({ since }) => since === undefined || isLasting(since, now),
  );
  return CAUSES.filter((cause) => lastingImpairments.some((one) => one.cause === cause));
}

const isLasting = (since: EpochMs, now: EpochMs): boolean => now - since >= TOLERATED_MS;

/** What runs there does not run well any more: a drain would wait for pods that cannot leave. */
export const requiresForcedRemoval = (causes: readonly ImpairmentCause[]): boolean =>
  causes.some((cause) => cause !== 'event_status');
