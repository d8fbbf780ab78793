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
  /** Absent: acts on nothing, so it need not own anything. */
  readonly ownership?: Ownership;
  readonly takeOver: boolean;
  /** Between two looks at who owns the cluster; absent: 5 s. */
  readonly renewEveryMs?: number;
}

export interface RunningController {
  /** Absent: at work, or on stand-by and ready to be. */
  readiness(): string | undefined;
  isOwner(): boolean;
  /** Finishes the steps under way, or gives up on them after `graceMs`; then lets the cluster go. */
  stop(graceMs: number): Promise<void>;
}

/** What a fresh owner looks at first: it has missed every event so far. */
const INITIAL_HINTS: readonly Hint[] = [
  { topic: 'sweep' },
  { topic: 'plan' },
  { topic: 'disrupt' },
];

/** Works hints while the cluster is ours, and keeps quiet while it is somebody else's. */
export async function runController(parts: ControllerParts): Promise<RunningController> {
  const { queue, sources, ownership, log } = parts;
  const watch =
    ownership &&
    watchOwnership({ ...parts, ownership, onChange: (stand) => applyOwnership(parts, stand) });
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
      if (!isFinished)
        log({ level: 'warn', message: 'steps left unfinished', fields: { graceMs } });
      await releaseOwnership(watch, log);
    },
  };
}

async function applyOwnership({ queue }: ControllerParts, stand: OwnershipState): Promise<void> {
  if (stand !== 'owner') return queue.pause();
  for (const hint of INITIAL_HINTS) await queue.send(hint);
  queue.start();
}

/** @returns whether it ended in time */
const finishesWithin = (ms: number, work: Promise<void>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
};

/** A lease that cannot be given back runs out by itself. */
async function releaseOwnership(watch: OwnershipWatch | undefined, log: Log): Promise<void> {
  try {
    await watch?.stop();
  } catch (error) {
    log({ level: 'warn', message: 'lease not given back', fields: { error: String(error) } });
  }
}
