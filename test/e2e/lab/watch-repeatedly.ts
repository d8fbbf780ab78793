import { setTimeout as sleep } from 'node:timers/promises';

export interface Watch {
  /** Stops after the current look. Rejects with the error of a look, if there was one. */
  end(): Promise<void>;
}

/** Calls `look` once, and again after each pause until the end. */
export function watchRepeatedly(look: () => Promise<void>, pauseMs: number): Watch {
  let isOver = false;
  const watching = (async () => {
    do {
      await look();
      await sleep(pauseMs);
    } while (!isOver);
  })();
  // A scenario that fails before `end` reports its own error; without a handler, a failed look would
  // end the process and leave the lab running.
  watching.catch(() => undefined);
  return {
    end() {
      isOver = true;
      return watching;
    },
  };
}
