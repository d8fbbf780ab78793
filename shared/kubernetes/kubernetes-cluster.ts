import type { FeatureGates } from '../model/settings.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/ports.ts';
import type { ViewStore } from '../ports/view-store.ts';
import type { KubernetesApi } from './client/kubernetes-api.ts';
import { listObjects } from './client/list-objects.ts';
import { findRestarts } from './readers/find-restarts.ts';
import { createAttachmentReader } from './readers/list-attached-volumes.ts';
import { createClaimReader } from './readers/observe-claim.ts';
import { createDeviceLister } from './readers/observe-devices.ts';
import { createExtensionLister } from './readers/observe-extensions.ts';
import { observeOnRequest } from './readers/observe-on-request.ts';
import { createObjectAssembler } from './watch/assemble-objects.ts';
import { type ClusterView, createClusterView } from './watch/cluster-view.ts';
import { createObservedKinds, listKindsExceptPods, type ObservedKind } from './watch/observed-kinds.ts';
import { changeNode } from './writers/change-node.ts';
import { deleteNode, deletePod } from './writers/delete-objects.ts';
import { evictPod } from './writers/evict-pod.ts';
import { projectNodeClaim, showWait } from './writers/project-node-claim.ts';
import { reportExtension } from './writers/report-extension.ts';
import { reportNodePool } from './writers/report-node-pool.ts';
import { restartOwner } from './writers/restart-owner.ts';
import { createDeletionCostWriter } from './writers/set-pod-deletion-cost.ts';
import { removeNodeClaim } from './writers/stored-node-claim.ts';

export interface KubernetesClusterParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** Which optional kinds are read; `undefined` for none. */
  readonly gates?: FeatureGates;
  /** Where functions keep the view between cold starts; `undefined` for none. */
  readonly views?: ViewStore;
  /** The groups of the process that drains nodes; `undefined` if this process does. */
  readonly drainGroups?: readonly string[];
  /** Called if a kind has to be listed because the API server has lost its history. */
  readonly onExpired?: (resource: string) => void;
}

/** A cluster that lists all kinds for every observation. */
export const kubernetesCluster = (parts: KubernetesClusterParts): Cluster => ({
  observe: createListedView(parts),
  ...createWriters(parts),
});

/**
 * A cluster that is listed once and then watched, for a long-running process. A watch may be silent for a
 * minute before it counts as lost, so the pods of a claim that is leaving are listed: none is overlooked when
 * its node counts as drained and its instance ends.
 */
export function watchedKubernetesCluster(
  parts: KubernetesClusterParts,
): Cluster & Pick<ClusterView, 'subscribe' | 'close'> {
  const { observe, subscribe, close } = createClusterView(parts);
  const { observeClaim, podsOnNodes } = createClaimReader(parts);
  return {
    observe,
    observeClaim: (query) => (query.budgets ? observeClaim(query) : observe({ devices: query.devices ?? false })),
    podsOnNodes,
    ...createWriters(parts),
    subscribe,
    close,
  };
}

/**
 * The same for a Lambda function, which is frozen between invocations: it resumes its watches
 * unless the last observation was moments ago.
 */
export function warmKubernetesCluster(parts: KubernetesClusterParts): Cluster {
  const { prepare, observe, storeView, suspend } = createClusterView({ ...parts, mayFreeze: true });
  return { prepare, observe, storeView, suspend, ...createWriters(parts) };
}

/**
 * A cluster for functions that advance one claim at a time: they read the objects of that claim
 * only, and watch nothing.
 */
export const claimKubernetesCluster = (parts: KubernetesClusterParts): Cluster => ({
  ...kubernetesCluster(parts),
  ...createClaimReader(parts),
});

const createWriters = ({ api, clock, drainGroups }: KubernetesClusterParts): Omit<Cluster, 'observe'> => ({
  projectNodeClaim: (claim, readLatest) => projectNodeClaim(api, claim, readLatest),
  showWait: (claim) => showWait(api, claim),
  removeNodeClaim: (name) => removeNodeClaim(api, name),
  reportNodePool: (status) => reportNodePool(api, status, clock.now()),
  reportExtension: (status) => reportExtension(api, status, clock.now()),
  attachedVolumes: createAttachmentReader(api),
  changeNode: (node, change) => changeNode(api, node, change),
  deleteNode: (node) => deleteNode(api, node),
  evict: (pod) => evictPod(api, pod),
  restartOwner: (pod) => restartOwner(api, pod, clock.now()),
  setPodDeletionCost: createDeletionCostWriter(api, clock),
  findRestarts: (pods) => findRestarts(api, pods, drainGroups),
  deletePod: (pod, gracePeriodMs) => deletePod(api, pod, gracePeriodMs),
});

/**
 * Pods are listed last: a pod that is bound meanwhile appears on its node, and a node that looks
 * empty was empty after its settings were read.
 */
function createListedView({ api, clock, gates }: KubernetesClusterParts): Cluster['observe'] {
  const kinds = createObservedKinds(() => clock.now());
  const assemble = createObjectAssembler(kinds);
  const sources = { api, listDevices: createDeviceLister(api) };
  const extensions = createExtensionLister(api, kinds.templates, gates);
  const list = async <T>(kind: ObservedKind<T>): Promise<void> => kind.store.replace(await listObjects(api, kind));

  return async (options = {}) => {
    await Promise.all(listKindsExceptPods(kinds).map(list));
    await list(kinds.pods);
    const objects = { ...assemble(), ...(await extensions()) };
    return { ...objects, ...(await observeOnRequest(sources, options, objects.pods, clock.now())) };
  };
}
