import type { EpochMs } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Topic } from '../../shared/ports/work-queue.ts';
import type { ReceivedBatch } from '../support/on-batch.ts';

/** Where the time goes from the first hint of a batch to the first request to EC2, in milliseconds. */
export interface LaunchTimes {
  /** From the hint to the function. */
  readonly queue: number;
  /** Until the hint's bucket has ended and its objects can be read. */
  readonly bucket: number;
  /** Until the batch of pods was complete. */
  readonly batch: number;
  readonly read: number;
  readonly plan: number;
  readonly commit: number;
  readonly launch: number;
}

type Mark = 'observing' | 'read' | 'committing' | 'committed' | 'launching';

export interface LaunchTrace {
  /** Takes the times of a run; `undefined` if it requested no instance. */
  takeTimes(batch: ReceivedBatch, startedAt: EpochMs): LaunchTimes | undefined;
}

/** Wraps ports so that the steps of a run that launches nodes can be timed. */
export function traceLaunches<T extends Topic>(
  ports: Ports<T>,
): {
  readonly ports: Ports<T>;
  readonly trace: LaunchTrace;
} {
  const { clock, cluster, nodeClaims, leases, commits, cloud } = ports;
  let marks: Partial<Record<Mark, EpochMs>> = {};
  const mark = (name: Mark): void => {
    marks[name] ??= clock.now();
  };

  const traced: Ports<T> = {
    ...ports,
    cluster: {
      ...cluster,
      observe(options) {
        // Only the last look at a batch is planned.
        if (marks.launching === undefined) marks = { observing: clock.now() };
        return cluster.observe(options);
      },
    },
    nodeClaims: {
      ...nodeClaims,
      async list(options) {
        const claims = await nodeClaims.list(options);
        mark('read');
        return claims;
      },
    },
    leases: {
      ...leases,
      acquire(role, term) {
        if (role === 'commit') mark('committing');
        return leases.acquire(role, term);
      },
    },
    commits: {
      ...commits,
      async add(...args) {
        const isAdded = await commits.add(...args);
        mark('committed');
        return isAdded;
      },
    },
    cloud: {
      ...cloud,
      launch(request) {
        mark('launching');
        return cloud.launch(request);
      },
    },
  };
  return {
    ports: traced,
    trace: {
      takeTimes({ sentAt, receivedAt }, startedAt) {
        const { observing, read, committing, committed, launching } = marks;
        marks = {};
        if (
          observing === undefined ||
          read === undefined ||
          committing === undefined ||
          committed === undefined ||
          launching === undefined
        )
          return undefined;
        return {
          queue: receivedAt - sentAt,
          bucket: startedAt - receivedAt,
          batch: observing - startedAt,
          read: read - observing,
          plan: committing - read,
          commit: committed - committing,
          launch: launching - committed,
        };
      },
    },
  };
}
