import { createHash } from 'node:crypto';

/** What goes wrong with the requests of one run. Each is asked once for each request. */
export interface Faults {
  /** EC2 refuses the request for its rate. @param nth - of its action */
  isThrottled(action: string, nth: number): boolean;
  /** EC2 has none of it just now. @param offering - as in `m7g.large/us-east-1a/spot` */
  isUnavailable(offering: string): boolean;
  /** A fleet gets no more than this share of what it asks for. */
  shareOf(clientToken: string): number;
  /** How often the answer is lost on its way, the request being done. */
  lostAnswers(clientToken: string): number;
  /** How often EC2 says that the template, made a moment ago, is not there. */
  missingTemplates(clientToken: string): number;
  /** For so long after its launch, in ms, EC2 does not show an instance. */
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

/** Everything that EC2 is known to do, far more often than it does it. */
export const createFaults = (seed: number, now: () => number): Faults => ({
  isThrottled: (action, nth) =>
    seededFraction(seed, 'throttle', action, nth) < (action === 'CreateFleet' ? 0.2 : 0.05),
  // Another quarter of them every five minutes.
  isUnavailable: (offering) => seededFraction(seed, 'dry', offering, Math.floor(now() / 300_000)) < 0.25,
  shareOf: (token) => (seededFraction(seed, 'part', token) < 0.3 ? seededFraction(seed, 'share', token) : 1),
  // The SDK asks again by itself, once; what is lost more often is lost for the caller.
  lostAnswers: (token) => (seededFraction(seed, 'lost', token) < 0.1 ? 2 : 0),
  missingTemplates: (token) => (seededFraction(seed, 'template', token) < 0.1 ? 1 : 0),
  hiddenForMs: 8_000,
});

/** A number from 0 up to 1 that follows from the text alone: a run can be repeated. */
function seededFraction(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
