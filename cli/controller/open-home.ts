import { hostname } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { dynamoTable } from '../../shared/aws/dynamo-table.ts';
import type { Log } from '../../shared/aws/log.ts';
import { s3Journal } from '../../shared/aws/s3-journal.ts';
import { quietJournal } from '../../shared/controllers/quiet-journal.ts';
import { launchingCloud } from '../../shared/home/launching-cloud.ts';
import { type Records, tableRecords } from '../../shared/home/table-records.ts';
import type { ClusterView } from '../../shared/kubernetes/cluster-view.ts';
import { watchedKubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesOwnership } from '../../shared/kubernetes/kubernetes-ownership.ts';
import type { OwnerMode } from '../../shared/model/ownership.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { clientSettings } from './aws-flags.ts';
import { type FoundStack, findStack } from './find-stack.ts';
import { logJournal } from './log-journal.ts';
import { memoryRecords } from './memory-records.ts';
import { type ClusterChoice, type ReachedCluster, reachCluster } from './reach-cluster.ts';

/** A cluster with everything that its controllers need but a queue. */
export interface ControllerHome {
  readonly reached: ReachedCluster;
  /** Absent: records live in memory, and nobody sends EC2's notices. */
  readonly stack: FoundStack | undefined;
  readonly ports: Omit<Ports, 'queue'>;
  readonly view: Pick<ClusterView, 'subscribe' | 'close'>;
}

export interface HomeOptions {
  readonly mode: OwnerMode;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reaches the cluster, finds its stack and wires both.
 *
 * @throws CliError - those of `reachCluster` and `findStack`
 */
export async function openHome(
  choice: ClusterChoice,
  options: HomeOptions,
): Promise<ControllerHome> {
  const { clock, log, mode } = options;
  const reached = await reachCluster(choice, options);
  const { api, server } = reached;
  const stack = await findStack(server.cluster, { ...choice, region: server.region });
  const settings = clientSettings({ ...choice, region: server.region });
  const ec2 = new EC2Client(settings);
  const records = stack ? recordsIn(stack, server.cluster, settings) : memoryRecords();
  const { subscribe, close, ...cluster } = watchedKubernetesCluster({ api, clock });

  return {
    reached,
    stack,
    view: { subscribe, close },
    ports: {
      clock,
      ...records,
      cluster,
      cloud: launchingCloud({ ec2, clock, log, ...records }, server),
      ownership: kubernetesOwnership({ api, clock, self: selfOf(server.cluster, stack, mode) }),
      journal: quietJournal(
        stack ? s3Journal(new S3Client(settings), { bucket: stack.bucket, log }) : logJournal(log),
      ),
    },
  };
}

const recordsIn = (
  { table }: FoundStack,
  cluster: string,
  settings: ReturnType<typeof clientSettings>,
): Records => tableRecords(dynamoTable(new DynamoDBClient(settings), { table, cluster }));

/** As the functions call themselves: by the table that they share. */
const selfOf = (cluster: string, stack: FoundStack | undefined, mode: OwnerMode) => ({
  stack: stack?.table ?? `memory-${cluster}`,
  mode,
  // Whoever takes a cluster apart may go on from another machine.
  ...(mode === 'controller' ? { process: `${hostname()}-${process.pid}` } : {}),
});
