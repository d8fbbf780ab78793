import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { DEFAULT_PROVISIONING_SETTINGS } from '../../../shared/controllers/provisioning/observe-batch.ts';
import type { OwnershipLeases } from '../../../shared/memory/ownership.ts';
import { StaleNodeClaimError, StaleObjectError } from '../../../shared/model/errors.ts';
import type { Owner } from '../../../shared/model/ownership.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import type { ViolationLog } from '../invariants/violations.ts';
import type { ConcurrentClock } from './concurrent-clock.ts';
import type { FaultPlan } from './fault-plan.ts';
import { createInvocationPorts, type Invocation, isInjected, type PortCall } from './invocation-ports.ts';
import type { RunEnd } from './message-queues.ts';

/** The functions' timeouts, as `infra/timeouts.ts` sets them. */
const TIMEOUTS_MS: Readonly<Record<Hint['topic'], number>> = {
  plan: 120 * SECOND_MS,
  claim: 60 * SECOND_MS,
  disrupt: 300 * SECOND_MS,
  interruption: 10 * SECOND_MS,
  sweep: 60 * SECOND_MS,
  class: 60 * SECOND_MS,
};

/** All functions of a stack count as one owner. */
export const FUNCTIONS: Owner = { stack: 'shop', mode: 'lambda' };

export interface InvocationParts {
  readonly clock: ConcurrentClock;
  readonly faults: FaultPlan;
  readonly leases: OwnershipLeases;
  readonly log: ViolationLog;
  readonly random: () => number;
  readonly maxSkewMs: number;
  /** The ports of one invocation, before faults are injected. */
  readonly portsFor: (invocation: Invocation) => Ports;
  readonly onCall: (call: PortCall) => void;
}

export interface Invocations {
  /** Runs the controller of a hint. Returns a function that kills the run. */
  run(hint: Hint, owner: Owner, onEnd: (end: RunEnd) => void): () => void;
  /** Kills all runs. */
  killAll(): void;
  /** Counts all runs, and those within the busiest minute. */
  count(): { readonly all: number; readonly busiestMinute: number };
}

/** Runs controllers side by side, each with calls that take time and may fail. */
export function createInvocations(parts: InvocationParts): Invocations {
  const { clock, faults, leases, log, random, maxSkewMs, portsFor, onCall } = parts;
  const startAt = clock.now();
  const running = new Set<Invocation>();
  const perMinute = new Map<number, number>();
  let started = 0;

  return {
    run(hint, owner, onEnd) {
      started += 1;
      const minute = Math.floor((clock.now() - startAt) / MINUTE_MS);
      perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
      let hasEnded = false;
      const end = (how: RunEnd): void => {
        running.delete(invocation);
        if (!hasEnded) onEnd(how);
        hasEnded = true;
      };
      const invocation: Invocation = {
        id: started,
        topic: hint.topic,
        owner,
        startedAt: clock.now(),
        skewMs: Math.round((2 * random() - 1) * maxSkewMs),
        isDead: false,
        die() {
          invocation.isDead = true;
          end('died');
        },
      };
      running.add(invocation);
      const callSettings = { clock, faults, random, onCall };
      const own = createInvocationPorts(portsFor(invocation), invocation, leases, callSettings);
      const wait = (ms: number): Promise<void> => clock.sleep(ms);
      const settings = { ...DEFAULT_PROVISIONING_SETTINGS, wait };
      if (owner.mode === 'lambda') clock.startAfter(TIMEOUTS_MS[hint.topic], invocation.die);
      void dispatch(own, hint, hint.topic === 'plan' ? settings : undefined).then(
        () => end('done'),
        (error: unknown) => {
          if (!isExpected(error)) log.report('unexpected-error', describeError(error));
          end('failed');
        },
      );
      return invocation.die;
    },
    killAll() {
      for (const invocation of [...running]) invocation.die();
    },
    count: () => ({ all: started, busiestMinute: Math.max(0, ...perMinute.values()) }),
  };
}

const isExpected = (error: unknown): boolean =>
  isInjected(error) ||
  error instanceof StaleNodeClaimError ||
  error instanceof StaleObjectError ||
  (error instanceof AggregateError && error.errors.every(isExpected));

const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
