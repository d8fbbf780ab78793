import { createHintQueue, type HintQueue, type Timers } from '../../../cli/controller/hint-queue.ts';
import { INITIAL_HINTS } from '../../../cli/controller/run-controller.ts';
import { memoryOwnership, type OwnershipLeases } from '../../../shared/memory/ownership.ts';
import type { Owner } from '../../../shared/model/ownership.ts';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import type { ConcurrentClock } from './concurrent-clock.ts';
import { InjectedError } from './invocation-ports.ts';
import type { RunEnd } from './message-queues.ts';

/** Runs one step of the process; `onEnd` is called once. Returns a function that kills the step. */
type RunStep = (hint: Hint, owner: Owner, onEnd: (end: RunEnd) => void) => () => void;

export interface ControllerProcess {
  send(hint: Hint, at?: EpochMs): void;
}

/** As `watchOwnership` renews the lease. */
const RENEW_EVERY_MS = 5 * SECOND_MS;
/** The Deployment starts the process again; with back-off it takes longer. */
const RESTART_MS = 10 * SECOND_MS;
/** A notice stays in its queue until a process has handled it. */
const NOTICE_AGAIN_MS = 20 * SECOND_MS;

/**
 * `mortise controller`: one process with the work queue of the command. When one of its steps dies, all of
 * them do, the queue is lost, and the next process waits until the lease has expired.
 */
export function createControllerProcess(
  clock: ConcurrentClock,
  leases: OwnershipLeases,
  run: RunStep,
): ControllerProcess {
  const timers: Timers = {
    start(work, ms) {
      let isCancelled = false;
      clock.startAfter(ms, () => {
        if (!isCancelled) work();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
  let started = 0;
  let current: { readonly queue: HintQueue; readonly isOwner: () => boolean } | undefined;

  function start(): void {
    started += 1;
    const owner: Owner = { stack: 'shop', mode: 'controller', process: `process-${started}` };
    const ownership = memoryOwnership(clock, leases, owner);
    const kills = new Set<() => void>();
    let isRunning = true;
    let isOwner = false;

    function crash(): void {
      if (!isRunning) return;
      isRunning = false;
      current = undefined;
      void queue.pause();
      for (const kill of kills) kill();
      clock.startAfter(RESTART_MS, start);
    }
    const work = (hint: Hint): Promise<void> =>
      new Promise((resolve, reject) => {
        const kill = run(hint, owner, (end) => {
          kills.delete(kill);
          if (end === 'done') resolve();
          else if (end === 'failed') reject(new InjectedError('the step has failed'));
          else crash();
        });
        kills.add(kill);
      });
    const queue = createHintQueue({ clock, work, timers });

    async function renew(): Promise<void> {
      if (!isRunning) return;
      const wasOwner = isOwner;
      isOwner = (await ownership.claim()).outcome === 'owner';
      if (isOwner && !wasOwner) {
        for (const hint of INITIAL_HINTS) await queue.send(hint);
        queue.start();
      } else if (!isOwner && wasOwner) void queue.pause();
      clock.startAfter(RENEW_EVERY_MS, () => void renew());
    }
    current = { queue, isOwner: () => isOwner };
    void renew();
  }
  start();

  return {
    send(hint, at) {
      if (hint.topic === 'interruption' && !current?.isOwner())
        clock.startAfter(NOTICE_AGAIN_MS, () => this.send(hint));
      else void current?.queue.send(hint, at);
    },
  };
}
