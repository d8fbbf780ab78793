import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { deleteClaim } from '../../../shared/controllers/support/claim-writes.ts';
import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import type { KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { watchedKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aFakeWorld } from '../../controllers/support/fake-ports.ts';
import { aLaunch, anInitializedClaim, NOON, nodeLabels } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLiveRunningPod, COLLECTIONS } from '../support/live-objects.ts';

const PROVIDER_ID = 'aws:///us-east-1a/i-node-1';

/** The API server with a watch of pods that delivers nothing, as over a half-open connection. */
const withSilentPods = (api: KubernetesApi): KubernetesApi => ({
  ...api,
  async stream(request) {
    const stream = await api.stream(request);
    if (!request.path.endsWith('/pods')) return stream;
    return {
      ...stream,
      lines: (async function* () {
        await new Promise<never>(() => {});
        yield '';
      })(),
    };
  },
});

async function withDouble(test: (double: ApiDouble) => Promise<void>): Promise<void> {
  const double = await startApiDouble();
  try {
    await test(double);
  } finally {
    await double.close();
  }
}

it('A watch of pods that has become silent lets no node end with a running pod', async () => {
  await withDouble(async (double) => {
    const world = aFakeWorld();
    const node = {
      ...{ name: 'node-1', spec: { providerID: PROVIDER_ID } },
      metadata: { labels: nodeLabels(), finalizers: ['karpenter.sh/termination'] },
    };
    double.put(COLLECTIONS.nodes, aLiveNode(node));
    const { ports } = world;
    const cluster = watchedKubernetesCluster({
      api: withSilentPods(connect(double).api),
      clock: ports.clock,
    });
    await cluster.observe();
    double.put(COLLECTIONS.pods, aLiveRunningPod({ name: 'db-0' }));
    const launch = aLaunch({ providerId: PROVIDER_ID });
    const claim = anInitializedClaim('node-1', { name: 'general-1', launch });
    await ports.nodeClaims.save(claim, 0);
    world.instances.set(PROVIDER_ID, { providerId: PROVIDER_ID, claim: '', state: 'running' });
    const podsAtEnd: unknown[] = [];
    const terminate = async (): Promise<void> => {
      podsAtEnd.push(double.table.find(COLLECTIONS.pods, 'default/db-0'));
    };
    const watching = { ...ports, cluster, cloud: { ...ports.cloud, terminate } };

    await deleteClaim(watching, 'general-1', { removal: 'Empty', at: NOON });
    for (let second = 1; second <= 10; second += 1) {
      world.now = NOON + second * SECOND_MS;
      await reconcileNodeClaim(watching, 'general-1');
    }

    expect(double.requests.map(({ path }) => path)).toContainEqual(expect.stringMatching(/\/db-0\/eviction$/));
    expect(podsAtEnd.filter((pod) => pod !== undefined)).toEqual([]);
    cluster.close();
  });
});

it('Connections of the API server are probed while they are silent', async () => {
  await withDouble(async (double) => {
    const probe = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const transport = createHttpTransport({ url: double.url });
    const request = { method: 'GET', path: '/api/v1/nodes', headers: {} };
    const response = await transport(request, new AbortController().signal);
    response.close();

    expect(probe).toHaveBeenCalledWith(true, 10 * SECOND_MS);
    probe.mockRestore();
  });
});
