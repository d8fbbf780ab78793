import { parseArgs } from 'node:util';
import { startProgress } from '../lab/progress.ts';
import { measureStub } from './measure-stub.ts';
import { measureRunningCluster } from './running-cluster/measure-running-cluster.ts';

/**
 * `npm run e2e:scale`: measures the functions beside a running cluster of 1,000 nodes, and their cold
 * starts against a stub of the API server at several sizes. Prints JSON. `--only cluster` or `--only
 * stub` runs one part.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    nodes: { type: 'string', default: '1000' },
    pods: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '10' },
    storms: { type: 'string', default: '200,500' },
    'added-pods': { type: 'string', default: '500' },
    'stub-nodes': { type: 'string', default: '100,1000,5000' },
    /** MiB of a function that reads the whole cluster. */
    memory: { type: 'string', default: '1769' },
    actions: {
      type: 'string',
      default: 'from-lists,from-view,from-old-view,claim-step,drain-step',
    },
  },
});

const numbers = (text: string): readonly number[] => text.split(',').map(Number);
const say = startProgress();
const runs = (part: string): boolean => options.only === undefined || options.only === part;

const cluster = runs('cluster')
  ? await measureRunningCluster(
      {
        nodes: Number(options.nodes),
        pods: Number(options.pods),
        steadyMinutes: Number(options.minutes),
        storms: numbers(options.storms),
        addedPods: Number(options['added-pods']),
      },
      say,
    )
  : undefined;
const stub = runs('stub')
  ? await measureStub({
      nodes: numbers(options['stub-nodes']),
      podsPerNode: 30,
      memory: Number(options.memory),
      actions: options.actions.split(','),
    })
  : undefined;
process.stdout.write(`${JSON.stringify({ cluster, stub }, undefined, 2)}\n`);
process.exit(0);
