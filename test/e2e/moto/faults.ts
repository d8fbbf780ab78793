import { seededFraction } from '../lab/seeded-fraction.ts';

/** The faults of one run. Each function is called once per request. */
export interface Faults {
  /** True if EC2 throttles the request. @param nth - number of the request within its action */
  isThrottled(action: string, nth: number): boolean;
  /** True if EC2 has no capacity now. @param offering - for example `m7g.large/us-east-1a/spot` */
  isUnavailable(offering: string): boolean;
  /** The maximum share of the requested instances that a fleet gets. */
  shareOf(clientToken: string): number;
  /** Number of responses that are lost after the request was executed. */
  lostAnswers(clientToken: string): number;
  /** Number of times that EC2 does not find a template that was just created. */
  missingTemplates(clientToken: string): number;
  /** Time after its launch, in ms, during which EC2 does not show an instance. */
  readonly hiddenForMs: number;
}

export const NO_FAULTS: Faults = {
  isThrottled: () => false,
  isUnavailable: () => false,
  shareOf: () => 1,
  lostAnswers: () => 0,
  missingTemplates: () => 0,
  hiddenForMs: 0,
};

/** Creates all known faults of EC2, far more frequent than in reality. */
export const createFaults = (seed: number, now: () => number): Faults => ({
  isThrottled: (action, nth) => seededFraction(seed, 'throttle', action, nth) < (action === 'CreateFleet' ? 0.2 : 0.05),
  // Another quarter of the offerings becomes unavailable every five minutes.
  isUnavailable: (offering) => seededFraction(seed, 'dry', offering, Math.floor(now() / 300_000)) < 0.25,
  shareOf: (token) => (seededFraction(seed, 'part', token) < 0.3 ? seededFraction(seed, 'share', token) : 1),
  // The SDK retries once by itself; a response that is lost twice is lost for the caller.
  lostAnswers: (token) => (seededFraction(seed, 'lost', token) < 0.1 ? 2 : 0),
  missingTemplates: (token) => (seededFraction(seed, 'template', token) < 0.1 ? 1 : 0),
  hiddenForMs: 8_000,
});
