import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { podKey } from '../../../shared/model/pod.ts';
import type { VectorCase } from '../../vectors/case-schema.ts';
import { inOrder, ORDERS } from '../../vectors/replay/orders.ts';
import type { Replay, Unbound } from '../../vectors/replay/replay-report.ts';
import { type ReplayedNode, replayedNodes } from '../../vectors/replay/replayed-nodes.ts';
import {
  arriving,
  boundTo,
  daemonManifest,
  type Manifest,
  nodeManifest,
  podManifests,
} from './manifests.ts';
import type { ReplayCluster } from './replay-cluster.ts';
import { storageManifests } from './storage.ts';

/** Lets the scheduler of an empty cluster bind the pods of a plan, in every order. */
export async function replayPlan(
  cluster: ReplayCluster,
  vector: VectorCase,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<Replay> {
  const nodes = replayedNodes(snapshot, plan);
  const native = podManifests(vector);
  const pods = nodes.flatMap(({ planned }) =>
    planned.flatMap((pod) => native.get(podKey(pod)) ?? []).map(arriving),
  );
  await cluster.furnish(Object.keys(snapshot.namespaces), [
    ...nodes.map(nodeManifest),
    ...nodes.flatMap((node) => running(vector, native, node)),
  ]);

  const storage = storageManifests(vector);
  const unbound: Record<string, readonly Unbound[]> = {};
  for (const order of ORDERS) {
    unbound[order] = await cluster.schedule(inOrder(pods, order), storage);
    await cluster.removeArrivals();
  }
  await cluster.clear();
  return { case: vector.name, placed: pods.length, unbound };
}

const running = (
  { daemonSets }: VectorCase,
  native: ReadonlyMap<string, Manifest>,
  node: ReplayedNode,
): Manifest[] => [
  ...node.bound
    .flatMap((pod) => native.get(podKey(pod)) ?? [])
    .map((manifest) => boundTo(manifest, node.name)),
  ...daemonSets
    .filter(({ metadata: own }) =>
      node.daemonSets.some(
        ({ name, namespace }) => name === own.name && namespace === own.namespace,
      ),
    )
    .map((daemonSet) => daemonManifest(daemonSet, node.name)),
];
