import { type EpochMs, MINUTE_MS } from '../../shared/model/time.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';

/** Where hints come from while the process lives. */
export interface HintSource {
  start(listener: HintListener): void;
  stop(): Promise<void>;
}

export interface HintListener {
  /** At once, or at a time. */
  send(hint: Hint, at?: EpochMs): void;
  /** On stand-by what is meant for the owner is left to it. */
  isOwner(): boolean;
}

/** As the deployed schedules: what an event missed is found a minute later. */
const SCHEDULE_MS = MINUTE_MS;

/** @param everyMs - between two rounds; the first one comes at once */
export function schedule(hints: readonly Hint[], everyMs = SCHEDULE_MS): HintSource {
  let timer: NodeJS.Timeout | undefined;

  return {
    start({ send }) {
      const tick = (): void => {
        for (const hint of hints) send(hint);
      };
      tick();
      timer = setInterval(tick, everyMs);
    },
    async stop() {
      clearInterval(timer);
    },
  };
}
