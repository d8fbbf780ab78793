import type { WrittenBuffer } from '../../api/stored-objects/capacity-buffer.ts';
import { ON_SURPLUS_NODE_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { listClaimConditions } from '../../model/nodes/claim-conditions.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import { type Pod, toOwnerUid } from '../../model/pods/pod.ts';
import type { DaemonSet, Deployment, PodDisruptionBudget, Workload } from '../../model/pods/workload.ts';
import { createDeletionCostLimit } from '../../model/rate-limit.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Cluster, ClusterObjects, EvictionOutcome } from '../../ports/cluster.ts';
import type { ControllerManager } from '../workloads/controller-manager.ts';
import { isOutdated, withRestart } from '../workloads/deployment-controller.ts';
import { type ApiServer, findCurrentPod, putPod, terminatePod, workloadKey } from './api-server.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import { changeNode, deleteNode } from './node-writes.ts';
import type { PodEvents } from './pod-events.ts';

interface SimClusterParts {
  readonly api: ApiServer;
  readonly budgets: DisruptionBudgets;
  readonly podEvents: PodEvents;
  readonly controllers: ControllerManager;
  /** Objects that never change during a simulation. */
  readonly fixed: Pick<ClusterObjects, 'services' | 'overlays' | 'buffers'>;
  /** Default: none. */
  readonly buffers?: readonly WrittenBuffer[];
  readonly now: () => EpochMs;
  /** Called when a caller of this port evicts or deletes a pod. */
  readonly onEvicted: (pod: Pod) => void;
  /** True if Mortise has the right to patch pods. */
  readonly mayRankPods: boolean;
}

export function simCluster({
  api,
  budgets,
  podEvents,
  controllers,
  fixed,
  buffers: declaredBuffers,
  now,
  onEvicted,
  mayRankPods,
}: SimClusterParts): Cluster {
  const daemonSets = memoizeLatest<readonly Workload[], readonly DaemonSet[]>((workloads) =>
    workloads.filter((workload) => workload.kind === 'DaemonSet'),
  );

  const buffers = memoizeLatest<readonly Workload[], readonly CapacityBuffer[]>((workloads) => [
    ...(fixed.buffers ?? []),
    ...resolveBuffers(declaredBuffers ?? [], workloads),
  ]);

  const nodeClaimObjects = createNodeClaimObjectCache();

  const costLimit = createDeletionCostLimit();

  const findDeployment = (pod: Pod): Deployment | undefined =>
    api.workloads
      .list()
      .filter((one) => one.kind === 'Deployment')
      .find((one) => controllers.ownerUidOf(one) === pod.owner?.uid);
  const isRollingOut = (deployment: Deployment): boolean =>
    [...api.pods.ofOwner(controllers.ownerUidOf(deployment)).values()].some((one) => isOutdated(one, deployment));

  return {
    observe: async ({ owners = false } = {}) => ({
      ...observeStorage(api),
      pods: api.pods.list(),
      nodes: api.nodes.list(),
      nodeClaims: nodeClaimObjects(api.nodeClaims.list()),
      pools: api.pools,
      daemonSets: daemonSets(api.workloads.list()),
      podDisruptionBudgets: budgets.list(),
      ...(owners && { owners: controllers.owners() }),
      ...fixed,
      ...(declaredBuffers && { buffers: buffers(api.workloads.list()) }),
      namespaces: api.namespaces,
      lastPodEventAt: podEvents.latest(),
    }),
    projectNodeClaim: async (claim) => api.nodeClaims.put(claim.name, claim),
    // The simulation creates no standalone claims.
    showWait: async () => {},
    removeNodeClaim: async (name) => api.nodeClaims.remove(name),
    // The simulation shows no pool status and attaches no volumes.
    reportNodePool: async () => {},
    reportExtension: async () => {},
    attachedVolumes: async () => [],
    changeNode: async (node, change) => changeNode(api.nodes, node, change),
    deleteNode: async (node) => deleteNode(api.nodes, node, now()),
    async evict(pod) {
      const stored = findCurrentPod(api.pods, pod);
      const outcome = evict(api, budgets, pod, now());
      if (outcome.outcome === 'evicted' && stored?.deletionAt === undefined) onEvicted(pod);
      return outcome;
    },
    async findRestarts(pods) {
      return pods.map((pod) => {
        const deployment = findDeployment(pod);
        const owner = toOwnerUid(pod);
        if (!deployment) return { owner, replicas: 0, surge: 0, obstacle: NO_DEPLOYMENT };
        const { replicas } = deployment;
        const restart = { owner, replicas, surge: 1 };
        return isRollingOut(deployment) ? { ...restart, obstacle: 'it rolls out' } : restart;
      });
    },
    async restartOwner(pod) {
      const deployment = findDeployment(pod);
      if (!deployment) return { outcome: 'refused', why: NO_DEPLOYMENT };
      if (isRollingOut(deployment)) return { outcome: 'under-way' };
      api.workloads.put(workloadKey(deployment), withRestart(deployment, now()));
      return { outcome: 'restarted', deployment: deployment.name };
    },
    async setPodDeletionCost(pod, cost) {
      if (!mayRankPods) return 'forbidden';
      if (!costLimit.tryTake(now())) return 'limited';
      const stored = findCurrentPod(api.pods, pod);
      if (!stored) return 'gone';
      putPod(api.pods, withDeletionCost(stored, cost));
      return 'changed';
    },
    async deletePod(pod, gracePeriodMs) {
      const stored = findCurrentPod(api.pods, pod);
      if (!stored) return;
      if (stored.deletionAt === undefined) onEvicted(stored);
      terminatePod(api.pods, stored, now(), gracePeriodMs);
    },
  };
}

function observeStorage({ storage }: ApiServer): Pick<ClusterObjects, 'storage'> {
  const current = storage.current();
  return current ? { storage: current } : {};
}

const NO_DEPLOYMENT = 'it belongs to no Deployment';

function memoizeLatest<K, V>(compute: (key: K) => V): (key: K) => V {
  let latest: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (latest?.key !== key) latest = { key, value: compute(key) };
    return latest.value;
  };
}

/** Resolves each buffer's workload to a pod template and its current replica count. */
const resolveBuffers = (
  declaredBuffers: readonly WrittenBuffer[],
  workloads: readonly Workload[],
): readonly CapacityBuffer[] =>
  declaredBuffers.map(({ scalableRef, ...buffer }) => {
    const { namespace } = buffer;
    const workload = workloads.find(
      (candidate) =>
        candidate.namespace === namespace && candidate.name === scalableRef.name && matchesKind(candidate, scalableRef),
    );
    if (workload && 'replicas' in workload) {
      return { ...buffer, template: workload.template, scale: workload.replicas };
    }
    const message = `there is no ${scalableRef.kind} ${namespace}/${scalableRef.name}`;
    return { ...buffer, problem: { reason: 'ScalableRefNotFound', message } };
  });

/** Bare ReplicaSets are simulated as Deployments. */
const matchesKind = ({ kind }: Workload, ref: WrittenBuffer['scalableRef']): boolean =>
  kind === (ref.kind === 'ReplicaSet' ? 'Deployment' : ref.kind);

function withDeletionCost(pod: Pod, cost: number | undefined): Pod {
  const { [POD_DELETION_COST_ANNOTATION]: _cost, [ON_SURPLUS_NODE_ANNOTATION]: _mark, ...others } = pod.annotations;
  if (cost === undefined) return { ...pod, annotations: others };
  const ours = { [POD_DELETION_COST_ANNOTATION]: `${cost}`, [ON_SURPLUS_NODE_ANNOTATION]: 'true' };
  return { ...pod, annotations: { ...others, ...ours } };
}

/**
 * Evicts a pod by the rules of the eviction API.
 *
 * @see kubernetes, registry/core/pod/storage/eviction.go
 */
export function evict(api: ApiServer, budgets: DisruptionBudgets, requestedPod: Pod, now: EpochMs): EvictionOutcome {
  const pod = findCurrentPod(api.pods, requestedPod);
  if (!pod || isTerminal(pod)) return { outcome: 'gone' };
  if (pod.deletionAt !== undefined) return { outcome: 'evicted' };

  // Budgets do not protect pending pods.
  const covering = pod.phase === 'Pending' ? [] : budgets.covering(pod);
  if (covering.length > 1 || !covering.every((budget) => allowsEviction(budget, pod))) {
    return { outcome: 'refused', pdb: covering.map(({ name }) => name).join(', ') };
  }
  terminatePod(api.pods, pod, now, pod.spec.terminationGracePeriodMs);
  return { outcome: 'evicted' };
}

function allowsEviction(budget: PodDisruptionBudget, { ready }: Pod): boolean {
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = budget;
  if (ready) return disruptionsAllowed > 0;
  if (budget.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return disruptionsAllowed > 0 || (desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}

/** Converts a record to the object that the simulated cluster shows. */
export const toNodeClaimObject = (claim: NodeClaim): NodeClaimObject => ({
  name: claim.name,
  uid: claim.uid,
  createdAt: claim.createdAt,
  labels: { ...claim.launch?.labels, ...claim.labels },
  annotations: claim.annotations,
  owners: [],
  finalizers: ['karpenter.sh/termination'],
  ...(claim.deletingAt !== undefined && { deletionAt: claim.deletingAt }),
  nodeClass: claim.nodeClass,
  requirements: claim.requirements,
  taints: claim.taints,
  startupTaints: claim.startupTaints,
  requests: claim.requests,
  ...(claim.expireAfterMs !== undefined && { expireAfterMs: claim.expireAfterMs }),
  ...(claim.terminationGracePeriodMs !== undefined && { terminationGracePeriodMs: claim.terminationGracePeriodMs }),
  ...(claim.launch && { providerId: claim.launch.providerId }),
  ...(claim.nodeName !== undefined && { nodeName: claim.nodeName }),
  capacity: claim.launch?.capacity ?? {},
  allocatable: claim.launch?.allocatable ?? {},
  ...(claim.lastPodEventAt !== undefined && { lastPodEventAt: claim.lastPodEventAt }),
  conditions: listClaimConditions(claim).map((condition) => ({ message: '', ...condition })),
});

/** Returns the same object for the same record, so that an unchanged list costs nothing. */
function createNodeClaimObjectCache(): (claims: readonly NodeClaim[]) => readonly NodeClaimObject[] {
  const cache = new WeakMap<NodeClaim, NodeClaimObject>();
  return (claims) =>
    claims.map((claim) => {
      return getOrCreate(cache, claim, () => toNodeClaimObject(claim));
    });
}
