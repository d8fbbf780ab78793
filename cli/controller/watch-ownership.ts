import type { Log } from '../../shared/aws/log.ts';
import type { OwnershipStatus } from '../../shared/model/ownership.ts';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Ownership } from '../../shared/ports/records.ts';

/** Often enough that a renewal may fail twice before somebody else takes over. */
const ASK_EVERY_MS = 5 * SECOND_MS;
/** Without an answer for so long the cluster may have another owner. */
const DOUBT_AFTER_MS = 20 * SECOND_MS;

export type Stand = OwnershipStatus['outcome'] | 'unknown';

export interface OwnershipWatch {
  stand(): Stand;
  /** Who owns the cluster instead, or why it is not known. */
  detail(): string;
  /** Asks once, then again and again. */
  start(): Promise<void>;
  /** Asks no more, and lets go of the cluster. */
  stop(): Promise<void>;
}

export interface OwnershipWatchParts {
  readonly ownership: Ownership;
  readonly clock: Clock;
  readonly log: Log;
  readonly takeOver: boolean;
  readonly askEveryMs?: number;
  /** Called when it begins and when it ends that the cluster is ours; never twice at a time. */
  readonly onChange: (stand: Stand) => Promise<void>;
}

/** Keeps asking whether the cluster is ours, and says when that changes. */
export function watchOwnership(parts: OwnershipWatchParts): OwnershipWatch {
  const { ownership, clock, log, onChange, askEveryMs = ASK_EVERY_MS } = parts;
  let stand: Stand = 'unknown';
  let detail = 'nobody was asked yet';
  let answeredAt: EpochMs = clock.now();
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> = Promise.resolve();

  async function ask(force: boolean): Promise<void> {
    try {
      const standing = await (force ? ownership.takeOver() : ownership.claim());
      answeredAt = clock.now();
      await become(standing.outcome, detailOf(standing));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log({ level: 'warn', message: 'owner not known', fields: { error: why } });
      if (stand !== 'owner' || clock.now() - answeredAt > DOUBT_AFTER_MS) {
        await become('unknown', why);
      }
    }
  }

  async function become(next: Stand, why: string): Promise<void> {
    const isNews = next !== stand || why !== detail;
    [stand, detail] = [next, why];
    if (!isNews) return;
    log({ level: next === 'owner' ? 'info' : 'warn', message: next, fields: { why } });
    await onChange(next);
  }

  function askLater(): void {
    timer = setTimeout(() => {
      asking = ask(false).finally(() => {
        if (timer !== undefined) askLater();
      });
    }, askEveryMs);
  }

  return {
    stand: () => stand,
    detail: () => detail,
    async start() {
      await ask(parts.takeOver);
      askLater();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await asking;
      await ownership.release();
    },
  };
}

function detailOf(standing: OwnershipStatus): string {
  if (standing.outcome === 'stand-by') return `${standing.owner} owns the cluster`;
  return 'this process owns the cluster';
}
