import {
  type ApiAction,
  ApiForbiddenError,
  KindNotServedError,
} from '../../shared/kubernetes/client/api-errors.ts';
import type {
  ApiRequest,
  KubernetesApi,
  LineStream,
} from '../../shared/kubernetes/client/kubernetes-api.ts';

/** The facts that are unknown without a kind of object. */
const UNKNOWN_WITHOUT: Readonly<Record<string, string>> = {
  nodepools: 'which nodes could be launched',
  nodeclaims: 'which nodes a NodePool launched',
  ec2nodeclasses: 'which images and subnets the NodePools may use',
  daemonsets: 'how much of a new node DaemonSets take',
  poddisruptionbudgets: 'if a PodDisruptionBudget keeps a node',
  namespaces: 'which namespaces the rules between pods select',
  services: 'which pods kube-scheduler spreads by default',
  persistentvolumes: 'in which zones volumes are',
  persistentvolumeclaims: 'in which zones volumes are',
  storageclasses: 'in which zones volumes can be created',
  csinodes: 'how many volumes a node can attach',
  volumeattachments: 'which volumes are attached',
  replicasets: 'how many pods their owners have still to create',
  statefulsets: 'how many pods their owners have still to create',
  jobs: 'how many pods their owners have still to create',
  resourcequotas: 'how many pods a quota still allows',
  priorityclasses: 'the priority of pods that are not created yet',
  resourceslices: 'which devices the nodes have',
  deviceclasses: 'which devices the claims of pods ask for',
  resourceclaims: 'which devices pods claim',
  resourceclaimtemplates: 'which devices pods claim',
  nodeoverlays: 'the prices and sizes that NodeOverlays set',
  capacitybuffers: 'the room that CapacityBuffers keep',
  leases: 'which autoscaler owns the cluster',
};

/** Without these there is nothing to explain. */
const NEEDED: ReadonlySet<string> = new Set(['pods', 'nodes']);

export interface TolerantApi {
  readonly api: KubernetesApi;
  /** One sentence for each kind that could not be read. */
  listGaps(): readonly string[];
}

/**
 * Reads a cluster in which some kinds may not be read, or do not exist: their lists are empty. Pods
 * and nodes must be readable.
 */
export function createTolerantApi(api: KubernetesApi): TolerantApi {
  const gaps = new Map<string, string>();

  /** @returns false if the error must reach the caller */
  function accept(error: unknown, { verb, resource }: ApiAction): boolean {
    if (error instanceof KindNotServedError) return true;
    if (!(error instanceof ApiForbiddenError) || NEEDED.has(resource)) return false;
    const unknown = UNKNOWN_WITHOUT[resource] ?? `everything that depends on ${resource}`;
    gaps.set(resource, `may not ${verb} ${resource}: it is unknown ${unknown}`);
    return true;
  }

  async function tolerate<T>(request: ApiRequest, ask: () => Promise<T>, otherwise: () => T) {
    try {
      return await ask();
    } catch (error) {
      if (accept(error, request)) return otherwise();
      throw error;
    }
  }

  return {
    listGaps: () => [...gaps.values()].toSorted(),
    api: {
      send: (request) =>
        tolerate(
          request,
          () => api.send(request),
          () => NOT_FOUND,
        ),
      read: (request) =>
        tolerate(
          request,
          () => api.read(request),
          () => EMPTY_LIST,
        ),
      stream: (request) => tolerate(request, () => api.stream(request), createIdleStream),
    },
  };
}

const NOT_FOUND = { status: 404, body: {} };
const EMPTY_LIST = { metadata: { resourceVersion: '0' }, items: [] };

/** A watch without events. */
function createIdleStream(): LineStream {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* lines(): AsyncGenerator<string> {
    await promise;
    yield* [];
  }
  return { lines: lines(), close: resolve };
}
