import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { capitalized } from './capitalized.ts';
import type { HandlerFunction } from './constructs/handler-function.ts';
import { QueueWorker } from './constructs/queue-worker.ts';
import { workerEnvironment } from './environment.ts';
import { commonInside, type Foundation } from './foundation.ts';
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
  readonly memoryMib: number;
  readonly maxConcurrency?: number;
  readonly wakesItself?: boolean;
}

export function addWorkers(foundation: Foundation): Workers {
  const { stack, queues } = foundation;
  const environment = workerEnvironment(foundation);
  const work = (name: keyof Workers, queue: Queue, props: WorkerShape): HandlerFunction =>
    new QueueWorker(stack, capitalized(name), {
      ...commonInside(foundation),
      timeout: TIMEOUTS[name],
      environment,
      queue,
      ...props,
    }).fn;

  return {
    provisioning: work('provisioning', queues.plan, {
      entry: 'provisioning',
      memoryMib: 1769, // one full vCPU
      wakesItself: true,
    }),
    nodeLifecycle: work('nodeLifecycle', queues.claim, {
      entry: 'node-lifecycle',
      memoryMib: 512,
      maxConcurrency: 10,
      wakesItself: true,
    }),
    disruption: work('disruption', queues.disrupt, {
      entry: 'disruption',
      memoryMib: 1769,
      wakesItself: true,
    }),
    interruption: work('interruption', queues.interruption, {
      entry: 'interruption',
      memoryMib: 512,
      maxConcurrency: 10,
    }),
    sweep: work('sweep', queues.sweep, {
      entry: 'sweep',
      memoryMib: 1024,
      maxConcurrency: 5,
      wakesItself: true,
    }),
    nodeClass: work('nodeClass', queues.class, {
      entry: 'node-class',
      memoryMib: 512,
      maxConcurrency: 2, // Lambda's minimum
    }),
  };
}
