import type { Impairment, ImpairmentCause } from '../../model/nodes/interruption.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';

/** Most shorter impairments, such as a reboot or a network interruption, resolve themselves. */
const TOLERATED_MS = 2 * MINUTE_MS;

/** Most severe first: a hardware failure says more than an unresponsive instance. */
const CAUSES: readonly ImpairmentCause[] = ['system_status', 'instance_status', 'event_status'];

/**
 * Lists the causes that have lasted longer than tolerated, most severe first.
 *
 * @param impairments - of one instance
 */
export function listLastingCauses(impairments: readonly Impairment[], now: EpochMs): readonly ImpairmentCause[] {
  const lastingImpairments = impairments.filter(({ since }) => since === undefined || isLasting(since, now));
  return CAUSES.filter((cause) => lastingImpairments.some((impairment) => impairment.cause === cause));
}

const isLasting = (since: EpochMs, now: EpochMs): boolean => now - since >= TOLERATED_MS;

/**
 * Pods on an impaired instance may be unable to terminate, so a graceful drain could wait forever.
 */
export const requiresForcedRemoval = (causes: readonly ImpairmentCause[]): boolean =>
  causes.some((cause) => cause !== 'event_status');
