import type { EpochMs } from '../../../shared/model/time.ts';

/** The invariants, by name. */
export type InvariantName =
  | 'foreign-object'
  | 'foreign-finalizer'
  | 'foreign-taint'
  | 'pod-disruption-budget'
  | 'eviction-reason'
  | 'instance-in-use'
  | 'launch-cap'
  | 'price-cap'
  | 'disruption-budget'
  | 'instance-claimed-twice'
  | 'launched-twice'
  | 'record-went-back'
  | 'stand-by'
  | 'unexpected-error'
  | 'bounded-launches'
  | 'recovers';

export interface Violation {
  readonly invariant: InvariantName;
  readonly at: EpochMs;
  readonly text: string;
}

export interface ViolationLog {
  readonly violations: readonly Violation[];
  report(invariant: InvariantName, text: string): void;
}

/** Keeps the first violations; the later ones are usually their consequences. */
export function createViolationLog(now: () => EpochMs): ViolationLog {
  const violations: Violation[] = [];
  return {
    violations,
    report(invariant, text) {
      if (violations.length < 20) violations.push({ invariant, at: now(), text });
    },
  };
}
