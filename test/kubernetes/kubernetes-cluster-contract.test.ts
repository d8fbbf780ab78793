import { afterEach } from 'vitest';
import {
  kubernetesCluster,
  warmKubernetesCluster,
  watchedKubernetesCluster,
} from '../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesOwnership } from '../../shared/kubernetes/kubernetes-ownership.ts';
import { clusterContract } from '../contracts/cluster-contract.ts';
import { ownershipContract } from '../contracts/ownership-contract.ts';
import { NOON } from '../support/builders.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';
import {
  aKarpenterLease,
  aLiveBudget,
  aLiveNamespace,
  aLiveNode,
  aLiveRunningPod,
  COLLECTIONS,
} from './support/live-objects.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function aServedCluster(budget: 'guarded' | 'free'): Promise<ApiDouble> {
  const double = await startApiDouble();
  closing.push(double.close);
  double.put(COLLECTIONS.namespaces, aLiveNamespace());
  double.put(COLLECTIONS.nodes, aLiveNode());
  for (const name of ['web-1', 'web-2', 'web-3']) {
    double.put(COLLECTIONS.pods, aLiveRunningPod({ name }));
  }
  if (budget === 'guarded') double.put(COLLECTIONS.budgets, aLiveBudget());
  return double;
}

const clock = { now: () => NOON };

clusterContract('Kubernetes, listed', async (budget) => {
  const { api } = connect(await aServedCluster(budget));
  return { cluster: kubernetesCluster({ api, clock }) };
});

clusterContract('Kubernetes, watched', async (budget) => {
  const { api } = connect(await aServedCluster(budget));
  const cluster = watchedKubernetesCluster({ api, clock });
  closing.unshift(cluster.close);
  return { cluster };
});

clusterContract('Kubernetes, seen by a function that freezes', async (budget) => {
  const { api } = connect(await aServedCluster(budget));
  let now = NOON;
  const cluster = warmKubernetesCluster({ api, clock: { now: () => now } });
  return {
    cluster: {
      ...cluster,
      async observe(request) {
        now += 3_000;
        return cluster.observe(request);
      },
    },
  };
});

ownershipContract('Kubernetes', async () => {
  const double = await startApiDouble();
  closing.push(double.close);
  const { api } = connect(double);
  let now = NOON;
  return {
    of: (self) => kubernetesOwnership({ api, clock: { now: () => now }, self }),
    now: () => now,
    pass(ms) {
      now += ms;
    },
    karpenterRenews: () => double.put(COLLECTIONS.leases, aKarpenterLease(now)),
  };
});
