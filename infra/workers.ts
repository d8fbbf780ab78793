import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { capitalized } from './capitalized.ts';
import type { HandlerFunction } from './constructs/handler-function.ts';
import { QueueWorker } from './constructs/queue-worker.ts';
import { workerEnvironment } from './environment.ts';
import { commonInside, type Foundation } from './foundation.ts';
import { MEMORY_MIB } from './sizes.ts';
import { TIMEOUTS } from './timeouts.ts';

/** The functions that consume queues, by the names that alarms show. */
export type Workers = {
  readonly provisioning: HandlerFunction;
  readonly nodeLifecycle: HandlerFunction;
  readonly disruption: HandlerFunction;
  readonly interruption: HandlerFunction;
  readonly sweep: HandlerFunction;
  readonly nodeClass: HandlerFunction;
};

interface WorkerShape {
  readonly entry: string;
  readonly maxConcurrency?: number;
  readonly wakesItself?: boolean;
  readonly hidesMessages?: boolean;
}

export function addWorkers(foundation: Foundation): Workers {
  const { scope, queues } = foundation;
  const environment = workerEnvironment(foundation);
  const memory = MEMORY_MIB[foundation.options.size];
  const work = (name: keyof Workers, queue: Queue, props: WorkerShape): HandlerFunction =>
    new QueueWorker(scope, capitalized(name), {
      ...commonInside(foundation),
      timeout: TIMEOUTS[name],
      memoryMib: memory[name],
      environment,
      queue,
      ...props,
    }).fn;

  return {
    provisioning: work('provisioning', queues.plan, {
      entry: 'provisioning',
      wakesItself: true,
      hidesMessages: true,
    }),
    nodeLifecycle: work('nodeLifecycle', queues.claim, {
      entry: 'node-lifecycle',
      maxConcurrency: 10,
      wakesItself: true,
    }),
    disruption: work('disruption', queues.disrupt, {
      entry: 'disruption',
      wakesItself: true,
      hidesMessages: true,
    }),
    interruption: work('interruption', queues.interruption, {
      entry: 'interruption',
      maxConcurrency: 10,
    }),
    sweep: work('sweep', queues.sweep, {
      entry: 'sweep',
      maxConcurrency: 5,
      wakesItself: true,
    }),
    nodeClass: work('nodeClass', queues.class, {
      entry: 'node-class',
      maxConcurrency: 2, // Lambda's minimum
    }),
  };
}
