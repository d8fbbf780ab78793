import type { Log } from '../../shared/aws/log.ts';
import type { OwnershipStatus } from '../../shared/model/ownership.ts';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Ownership } from '../../shared/ports/records.ts';

/** Two renewals may fail before the lease expires. */
const RENEW_EVERY_MS = 5 * SECOND_MS;
/** After this time without an answer, the cluster may have another owner. */
const UNKNOWN_AFTER_MS = 20 * SECOND_MS;

export type OwnershipState = OwnershipStatus['outcome'] | 'unknown';

export interface OwnershipWatch {
  state(): OwnershipState;
  /** The other owner, or why the owner is unknown. */
  detail(): string;
  /** Renews once, then periodically. */
  start(): Promise<void>;
  /** Stops renewing and releases the ownership. */
  stop(): Promise<void>;
}

export interface OwnershipWatchParts {
  readonly ownership: Ownership;
  readonly clock: Clock;
  readonly log: Log;
  readonly takeOver: boolean;
  readonly renewEveryMs?: number;
  /** Called when ownership starts or ends; calls never overlap. */
  readonly onChange: (state: OwnershipState) => Promise<void>;
}

/** Renews the ownership periodically and reports changes. */
export function watchOwnership(parts: OwnershipWatchParts): OwnershipWatch {
  const { ownership, clock, log, onChange, renewEveryMs = RENEW_EVERY_MS } = parts;
  let state: OwnershipState = 'unknown';
  let detail = 'no answer yet';
  let lastAnswerAt: EpochMs = clock.now();
  let timer: NodeJS.Timeout | undefined;
  let renewal: Promise<void> = Promise.resolve();

  async function renew(force: boolean): Promise<void> {
    try {
      const standing = await (force ? ownership.takeOver() : ownership.claim());
      lastAnswerAt = clock.now();
      await setState(standing.outcome, describeStanding(standing));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log({ level: 'warn', message: 'owner not known', fields: { error: why } });
      if (state !== 'owner' || clock.now() - lastAnswerAt > UNKNOWN_AFTER_MS) {
        await setState('unknown', why);
      }
    }
  }

  async function setState(next: OwnershipState, why: string): Promise<void> {
    const hasChanged = next !== state || why !== detail;
    [state, detail] = [next, why];
    if (!hasChanged) return;
    log({ level: next === 'owner' ? 'info' : 'warn', message: next, fields: { why } });
    await onChange(next);
  }

  function scheduleRenewal(): void {
    timer = setTimeout(() => {
      renewal = renew(false).finally(() => {
        if (timer !== undefined) scheduleRenewal();
      });
    }, renewEveryMs);
  }

  return {
    state: () => state,
    detail: () => detail,
    async start() {
      await renew(parts.takeOver);
      scheduleRenewal();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await renewal;
      await ownership.release();
    },
  };
}

function describeStanding(standing: OwnershipStatus): string {
  if (standing.outcome === 'stand-by') return `${standing.owner} owns the cluster`;
  return 'this process owns the cluster';
}
