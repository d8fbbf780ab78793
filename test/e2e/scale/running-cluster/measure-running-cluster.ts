import { setTimeout as sleep } from 'node:timers/promises';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { MINUTE_MS } from '../../../../shared/model/time.ts';
import type { FleetCall } from '../../lab/aws/ec2-proxy.ts';
import { KARPENTER_LEASE } from '../../lab/kubernetes/karpenter-double.ts';
import { keepLease } from '../../lab/kubernetes/keep-lease.ts';
import { type Lab, startLab } from '../../lab/start-lab.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { readLaunchTimes } from '../../launch-times.ts';
import { deployWithNodeClass, waitForNodeClass } from '../../prepare-lab.ts';
import { notify } from '../../scenarios/interruption.ts';
import { coldStarts, startUsage } from '../../usage.ts';
import { type ClusterSize, createCluster, createDeployment, waitForRunning } from './create-cluster.ts';
import { readStormTimes } from './storm-times.ts';
import { startTableServer, type TableServer } from './table-server.ts';

export interface RunningClusterOptions extends ClusterSize {
  readonly steadyMinutes: number;
  /** The number of spot notices that arrive at once, for each storm. */
  readonly storms: readonly number[];
  readonly addedPods: number;
}

/** Programs that would give up a cluster of this size with their defaults, on two cores. */
const FLAGS = {
  'controller-manager': [
    '--node-monitor-grace-period=60m',
    '--kube-api-qps=300',
    '--kube-api-burst=600',
    '--concurrent-deployment-syncs=20',
  ],
  scheduler: ['--kube-api-qps=300', '--kube-api-burst=600'],
} as const;
/** Deployed functions may run ten at a time, each on a share of a core; these share two cores. */
const CONCURRENCY = 4;
const PACE = { pollMs: 30_000, heartbeatMs: 10 * MINUTE_MS } as const;
/** List prices of us-east-1 in USD per unit. */
const READ_UNIT_USD = 0.125e-6;
const WRITE_UNIT_USD = 0.625e-6;
const MINUTES_OF_A_MONTH = 30 * 24 * 60;

/**
 * Runs the deployed functions beside a cluster that Karpenter has grown: a real kube-apiserver, the
 * local AWS, and a table with DynamoDB's limits.
 */
export async function measureRunningCluster(
  options: RunningClusterOptions,
  say: (line: string) => void,
): Promise<object> {
  const tables = await startTableServer();
  const lab = await startLab(say, {
    ...{ tableUrl: tables.url, pace: PACE, flags: FLAGS },
    queueConcurrency: CONCURRENCY,
  });
  try {
    const lease = await keepLease(lab.kube, KARPENTER_LEASE);
    const instances = await createCluster(lab, options);
    await deployWithNodeClass(lab, {
      size: options.nodes > 100 ? 'medium' : 'small',
    });
    const measure = measurer(lab, tables);

    say('Karpenter gives the cluster up ...');
    const adoption = await measure(async () => {
      await lease.end();
      await waitForNodeClass(lab);
      await waitForClaims(tables, options.nodes);
      return {};
    });
    say(`adopted ${JSON.stringify(adoption)}`);
    const steady = await measure(async () => {
      await sleep(options.steadyMinutes * MINUTE_MS);
      return {};
    });
    const steadyMonthlyUsd = monthlyTableUsd(steady, options.steadyMinutes);
    say(`steady state ${JSON.stringify(steady)}`);
    const added = await measure(() => addPods(lab, options));
    say(`pods added ${JSON.stringify(added)}`);
    const storms: object[] = [];
    let first = 0;
    for (const count of options.storms) {
      const interrupted = instances.slice(first, first + count);
      first += count;
      const storm = await measure(() => interrupt(lab, tables, interrupted));
      say(`${count} notices ${JSON.stringify(storm)}`);
      storms.push({ notices: count, ...storm });
    }
    return {
      ...{ nodes: options.nodes, pods: options.pods },
      ...{ adoption, steady: { minutes: options.steadyMinutes, ...steady, steadyMonthlyUsd } },
      ...{ added: { pods: options.addedPods, ...added }, storms },
      deadLetters: await countDeadLetters(lab),
      functions: coldStarts(lab),
    };
  } catch (error) {
    say(lab.tails());
    throw error;
  } finally {
    await lab.end();
    await tables.end();
  }
}

interface Measured {
  readonly seconds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly tableRequests: number;
  readonly throttled: number;
}

/** Returns a function that measures what happens during its work. */
const measurer =
  (lab: Lab, { table }: TableServer) =>
  async (work: () => Promise<object>): Promise<Measured> => {
    const before = { ...table.usage };
    const usage = startUsage(lab);
    const startedAt = performance.now();
    const result = await work();
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const { readUnits, writeUnits, throttled, requests } = table.usage;
    return {
      seconds,
      ...result,
      readUnits: Math.round(readUnits - before.readUnits),
      writeUnits: Math.round(writeUnits - before.writeUnits),
      tableRequests: requests - before.requests,
      throttled: throttled - before.throttled,
      ...(await usage()),
    };
  };

const monthlyTableUsd = ({ readUnits, writeUnits }: Measured, minutes: number): number =>
  Math.round(((readUnits * READ_UNIT_USD + writeUnits * WRITE_UNIT_USD) / minutes) * MINUTES_OF_A_MONTH * 100) / 100;

const claimRows = ({ table }: TableServer): number =>
  table.rows().filter(({ sk }) => sk && 'S' in sk && sk.S.startsWith('Claim#')).length;

const waitForClaims = (tables: TableServer, count: number): Promise<unknown> =>
  waitUntil(`${count} adopted claims`, () => claimRows(tables) >= count, {
    timeoutMs: 20 * MINUTE_MS,
    everyMs: 1_000,
  });

const countRunning = ({ nodes }: Lab): number =>
  [...nodes.pods.values()].filter(({ runningAt }) => runningAt !== undefined).length;

/** Adds pods that no node has room for. */
async function addPods(lab: Lab, { addedPods }: RunningClusterOptions): Promise<object> {
  const calls = lab.ec2.fleetCalls.length;
  const running = countRunning(lab);
  const startedAt = Date.now();
  await createDeployment(lab, 'added', addedPods, '2');
  await waitForRunning(lab, running + addedPods);
  const fleetCalls = lab.ec2.fleetCalls.slice(calls);
  return { ...callTimes(fleetCalls, startedAt), ...(await readLaunchTimes(lab, startedAt)) };
}

/** Time from EC2's notice to the end of the instance. */
const NOTICE_MS = 2 * MINUTE_MS;

/**
 * Sends the notices, ends the instances that remain when their time is over, as EC2 does, and waits
 * until as many pods run as before.
 */
async function interrupt(lab: Lab, tables: TableServer, instances: readonly string[]): Promise<object> {
  const calls = lab.ec2.fleetCalls.length;
  const claims = claimRows(tables);
  const running = countRunning(lab);
  const startedAt = Date.now();
  await Promise.all(
    instances.map((id) => notify(lab, 'EC2 Spot Instance Interruption Warning', `aws:///us-east-1a/${id}`)),
  );
  const sentMs = Date.now() - startedAt;
  const isDrained = (id: string): boolean => lab.ec2.terminations.has(id);
  while (!instances.every(isDrained) && Date.now() < startedAt + NOTICE_MS) await sleep(500);
  const drainedMs = Date.now() - startedAt;
  const InstanceIds = instances.filter((id) => !isDrained(id));
  if (InstanceIds.length > 0) await lab.cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  await waitForRunning(lab, running);
  const fleetCalls = lab.ec2.fleetCalls.slice(calls);
  return {
    sentMs,
    ...callTimes(fleetCalls, startedAt),
    launched: fleetCalls.flatMap(({ instanceIds }) => instanceIds).length,
    drainedMs,
    endedByEc2: InstanceIds.length,
    runningAgainMs: Date.now() - startedAt,
    claimsBefore: claims,
    ...(await readStormTimes(lab, fleetCalls, startedAt)),
    ...(await readLaunchTimes(lab, startedAt)),
  };
}

const callTimes = (calls: readonly FleetCall[], startedAt: number): object => ({
  calls: calls.length,
  ...(calls[0] && { firstCallMs: calls[0].at - startedAt }),
  ...(calls[0] && { lastCallMs: (calls.at(-1) ?? calls[0]).at - startedAt }),
});

async function countDeadLetters({ cloud: { sqs } }: Lab): Promise<number> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const counts = await Promise.all(
    QueueUrls.filter((url) => url.includes('DeadLetter')).map(async (QueueUrl) => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages'],
        }),
      );
      return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
