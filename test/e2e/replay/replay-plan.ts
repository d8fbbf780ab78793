import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import type { VectorCase } from '../../vectors/case-schema.ts';
import { REPLAY_ORDERS, sortIntoOrder } from '../../vectors/replay/orders.ts';
import type { PlanReplay, UnboundPod } from '../../vectors/replay/replay-report.ts';
import { listReplayedNodes, type ReplayedNode } from '../../vectors/replay/replayed-nodes.ts';
import {
  buildDaemonPodManifest,
  buildNodeManifest,
  buildPodManifests,
  type ObjectManifest,
  toArrivingPod,
  withNodeName,
} from './manifests.ts';
import type { ReplayCluster } from './replay-cluster.ts';
import { listStorageManifests } from './storage.ts';

/** Replays a plan in every order on the scheduler of an empty cluster. */
export async function replayPlan(
  cluster: ReplayCluster,
  vector: VectorCase,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<PlanReplay> {
  const nodes = listReplayedNodes(snapshot, plan);
  const manifestByPod = buildPodManifests(vector);
  const pods = nodes.flatMap(({ planned }) =>
    planned.flatMap((pod) => manifestByPod.get(podKey(pod)) ?? []).map(toArrivingPod),
  );
  await cluster.createCluster(Object.keys(snapshot.namespaces), [
    ...nodes.map(buildNodeManifest),
    ...nodes.flatMap((node) => listRunningPods(vector, manifestByPod, node)),
  ]);

  const storage = listStorageManifests(vector);
  const unbound: Record<string, readonly UnboundPod[]> = {};
  for (const order of REPLAY_ORDERS) {
    unbound[order] = await cluster.schedule(sortIntoOrder(pods, order), storage);
    await cluster.removeArrivals();
  }
  await cluster.clear();
  return { case: vector.name, placed: pods.length, unbound };
}

const listRunningPods = (
  { daemonSets }: VectorCase,
  manifestByPod: ReadonlyMap<string, ObjectManifest>,
  node: ReplayedNode,
): ObjectManifest[] => [
  ...node.bound
    .flatMap((pod) => manifestByPod.get(podKey(pod)) ?? [])
    .map((manifest) => withNodeName(manifest, node.name)),
  ...daemonSets
    .filter(({ metadata: own }) =>
      node.daemonSets.some(({ name, namespace }) => name === own.name && namespace === own.namespace),
    )
    .map((daemonSet) => buildDaemonPodManifest(daemonSet, node.name)),
];
