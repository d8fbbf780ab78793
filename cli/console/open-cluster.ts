import { EC2Client } from '@aws-sdk/client-ec2';
import { createModelSource } from '../../console/model-source.ts';
import { ec2PriceSource } from '../../shared/aws/ec2/prices/ec2-price-source.ts';
import { discoverSubnets } from '../../shared/aws/node-class/discover-network.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { hasCredentials, toClientSettings } from '../cluster/aws-flags.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import { createPriceListReader } from '../cluster/pricing-client.ts';
import { reachCluster } from '../cluster/reach-cluster.ts';
import type { Invocation } from '../invocation.ts';
import { createLiveFeed } from './live-feed.ts';
import type { ConsoleRequest, OpenedSource } from './opened-source.ts';

const clock: Clock = { now: () => Date.now() };

/**
 * Reads a live cluster, which changes nothing in it.
 *
 * @throws CliError - those of `reachCluster`
 */
export async function openCluster(request: ConsoleRequest, { io, progress }: Invocation): Promise<OpenedSource> {
  progress.report('reaching the cluster');
  const { api, where, server } = await reachCluster(request, {
    clock,
    env: io.env,
    component: 'console',
    needsRegion: false,
    needsNodePools: false,
  });
  progress.report(`reading ${server.cluster}`);
  const { cluster, region } = server;
  const ec2 =
    region !== '' && hasCredentials(io, request) ? new EC2Client(toClientSettings({ ...request, region })) : undefined;
  const feed = createLiveFeed({
    ...{ api, clock, cluster, region },
    ...(ec2 && {
      prices: ec2PriceSource(ec2, {
        ...{ region, clock, log: () => {} },
        ...createPriceListReader({ ...request, region }, io.env),
      }),
      findSubnets: discoverSubnets(ec2),
    }),
  });
  await callCluster(where, () => feed.ready);
  const { notices = [] } = await feed.observe();
  return {
    source: createModelSource(feed),
    from: { cluster },
    warnings: notices,
    stop: feed.stop,
  };
}
