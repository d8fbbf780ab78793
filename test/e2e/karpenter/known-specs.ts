import type { RuntimeName } from './runtimes.ts';

/** A spec that is expected not to pass. */
export interface KnownSpec {
  readonly suite: string;
  /** Matches the specs' names, as Ginkgo joins them. */
  readonly spec: RegExp;
  readonly reason: string;
  /** Undefined for both runtimes. */
  readonly runtime?: RuntimeName;
}

/** Specs that fail because Mortise differs from Karpenter by design. They run and must fail. */
export const DIFFERENT_BY_DESIGN: readonly KnownSpec[] = [];

/** Specs that need something the lab does not have. They do not run. */
export const NOT_RUNNABLE: readonly KnownSpec[] = [];
