import type { Log } from '../../shared/aws/log.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Ownership } from '../../shared/ports/records.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import type { HintQueue } from './hint-queue.ts';
import type { HintSource } from './hint-sources.ts';
import { type OwnershipState, type OwnershipWatch, watchOwnership } from './watch-ownership.ts';

export interface ControllerParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly queue: HintQueue;
  readonly sources: readonly HintSource[];
  /** `undefined` for a dry run, which needs no ownership. */
  readonly ownership?: Ownership;
  readonly takeOver: boolean;
  /** Called before the first hint of each time that this process owns the cluster. */
  readonly onOwner?: () => void;
  /** The interval of lease renewals; `undefined` for 5 s. */
  readonly renewEveryMs?: number;
}

export interface RunningController {
  /** `undefined` if the controller works or is on stand-by; otherwise the reason. */
  readiness(): string | undefined;
  isOwner(): boolean;
  /** Waits for running steps, at most `graceMs`, and then releases the ownership. */
  stop(graceMs: number): Promise<void>;
}

/** The first hints of a new owner, which has missed all earlier events. */
export const INITIAL_HINTS: readonly Hint[] = [{ topic: 'sweep' }, { topic: 'plan' }, { topic: 'disrupt' }];

/** Handles hints while this process owns the cluster, and pauses while another one does. */
export async function runController(parts: ControllerParts): Promise<RunningController> {
  const { queue, sources, ownership, log } = parts;
  const watch = ownership && watchOwnership({ ...parts, ownership, onChange: (stand) => applyOwnership(parts, stand) });
  const isOwner = (): boolean => watch === undefined || watch.state() === 'owner';
  const send = (hint: Hint, at?: EpochMs): void => void queue.send(hint, at);

  for (const source of sources) source.start({ send, isOwner });
  if (watch) await watch.start();
  else queue.start();

  return {
    readiness: () => (watch?.state() === 'unknown' ? watch.detail() : undefined),
    isOwner,
    async stop(graceMs) {
      await Promise.all(sources.map((source) => source.stop()));
      const isFinished = await finishesWithin(graceMs, queue.pause());
      if (!isFinished) log({ level: 'warn', message: 'steps left unfinished', fields: { graceMs } });
      await releaseOwnership(watch, log);
    },
  };
}

async function applyOwnership({ queue, onOwner }: ControllerParts, stand: OwnershipState): Promise<void> {
  if (stand !== 'owner') return queue.pause();
  onOwner?.();
  for (const hint of INITIAL_HINTS) await queue.send(hint);
  queue.start();
}

/**
 * @returns false if the time ran out first
 */
const finishesWithin = (ms: number, work: Promise<void>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
};

/** If the lease cannot be released, it expires. */
async function releaseOwnership(watch: OwnershipWatch | undefined, log: Log): Promise<void> {
  try {
    await watch?.stop();
  } catch (error) {
    log({ level: 'warn', message: 'lease not given back', fields: { error: String(error) } });
  }
}
