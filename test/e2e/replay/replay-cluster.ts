import { setTimeout as sleep } from 'node:timers/promises';
import type { UnboundPod } from '../../vectors/replay/replay-report.ts';
import { listAt, textAt } from '../lab/json.ts';
import type { AskServer } from '../lab/kubernetes/kubeconfig-client.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { ARRIVING_LABEL, type ObjectManifest } from './manifests.ts';
import { CLAIMS_PATH, claimsPathOf, provisionVolume, STORAGE_PATHS } from './storage.ts';

/** A cluster without kubelets, in which plans are replayed one after the other. */
export interface ReplayCluster {
  /**
   * Creates namespaces, nodes and running pods. Resolves after the scheduler has had time to
   * observe them.
   */
  createCluster(namespaces: readonly string[], manifests: readonly ObjectManifest[]): Promise<void>;
  /**
   * Creates pods one after the other and waits until the scheduler is idle.
   *
   * @param storage - objects for the pods' volumes; missing volumes are provisioned
   * @returns the pods without a node
   */
  schedule(pods: readonly ObjectManifest[], storage: readonly ObjectManifest[]): Promise<readonly UnboundPod[]>;
  /** Removes the scheduled pods and their storage. */
  removeArrivals(): Promise<void>;
  clear(): Promise<void>;
}

const CONCURRENCY = 8;
/** The scheduler observes nodes and pods by separate watches, which may lag behind each other. */
const WATCH_DELAY_MS = 250;
const NO_GRACE_PERIOD = 'gracePeriodSeconds=0';

/**
 * @param countPutAside - returns the number of pods that the scheduler does not retry for now
 */
export function createReplayCluster(call: AskServer, countPutAside: () => Promise<number>): ReplayCluster {
  const knownNamespaces = new Set(['default']);
  let hasStorage = false;
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await call(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${textAt(answer.body, 'message')}`);
  };
  const addNamespaces = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      if (knownNamespaces.has(name)) continue;
      const { status } = await call('POST', '/api/v1/namespaces', { metadata: { name } });
      // Some namespaces exist from the start.
      if (status >= 300 && status !== CONFLICT) throw new Error(`namespace ${name}: ${status}`);
      knownNamespaces.add(name);
    }
  };
  const create = ({ path, body }: ObjectManifest): Promise<unknown> => request('POST', path, body);
  const arrivingSelector = `labelSelector=${encodeURIComponent(ARRIVING_LABEL)}`;
  const provisionVolumes = async (): Promise<void> => {
    for (const claim of listAt(await request('GET', CLAIMS_PATH), 'items')) {
      const provisioning = provisionVolume(claim);
      if (!provisioning) continue;
      await create(provisioning.volume);
      await request('PUT', provisioning.claim.path, provisioning.claim.body);
    }
  };
  // Repeats the deletion until no pod is left: a pod that is being bound may escape one request.
  const removePods = (selector: string): Promise<true> =>
    waitUntil('pods to go', async () => {
      for (const name of knownNamespaces) {
        await request('DELETE', `/api/v1/namespaces/${name}/pods?${NO_GRACE_PERIOD}&${selector}`);
      }
      const remaining = await request('GET', `/api/v1/pods?limit=1&${selector}`);
      return listAt(remaining, 'items').length === 0;
    });

  return {
    async createCluster(namespaces, manifests) {
      await addNamespaces([...namespaces, ...manifests.flatMap(namespaceOf)]);
      const nodes = manifests.filter(({ path }) => path.endsWith('/nodes'));
      await forEachConcurrently(nodes, create);
      await forEachConcurrently(
        manifests.filter((one) => !nodes.includes(one)),
        create,
      );
      await sleep(WATCH_DELAY_MS);
    },
    async schedule(pods, storage) {
      await addNamespaces(storage.flatMap(namespaceOf));
      hasStorage = storage.length > 0;
      for (const one of storage) await create(one);
      for (const pod of pods) await create(pod);
      const pending = `/api/v1/pods?${arrivingSelector}&fieldSelector=spec.nodeName%3D`;
      const listPending = async (): Promise<unknown> => {
        if (hasStorage) await provisionVolumes();
        return request('GET', pending);
      };
      const waiting = await waitUntilIdle(listPending, countPutAside);
      const remaining = listAt(await request('GET', `/api/v1/pods?${arrivingSelector}`), 'items').map(nameOf);
      const presentNames = new Set(remaining);
      const missing = pods.map(({ body }) => nameOf(body)).filter((name) => !presentNames.has(name));
      return [...waiting, ...missing.map((pod) => ({ pod, why: 'preempted' }))];
    },
    async removeArrivals() {
      await removePods(arrivingSelector);
      if (!hasStorage) return;
      for (const path of [...STORAGE_PATHS, ...[...knownNamespaces].map(claimsPathOf)]) {
        await request('DELETE', `${path}?${NO_GRACE_PERIOD}`);
      }
      hasStorage = false;
    },
    async clear() {
      await removePods('');
      await request('DELETE', `/api/v1/nodes?${NO_GRACE_PERIOD}`);
      await sleep(WATCH_DELAY_MS);
    },
  };
}

const CONFLICT = 409;

const namespaceOf = ({ path }: ObjectManifest): string[] => {
  const [, name] = /^\/api\/v1\/namespaces\/([^/]+)\//.exec(path) ?? [];
  return name === undefined ? [] : [name];
};

async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const remaining = items.values();
  const worker = async (): Promise<void> => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Polls until no pod waits, or until the scheduler has put all waiting pods aside. */
async function waitUntilIdle(
  listPending: () => Promise<unknown>,
  countPutAside: () => Promise<number>,
): Promise<readonly UnboundPod[]> {
  for (let idlePolls = 0; ; ) {
    const pending = listAt(await listPending(), 'items').map(toUnboundPod);
    if (pending.length === 0) return pending;
    const isIdle = pending.length === (await countPutAside());
    idlePolls = isIdle ? idlePolls + 1 : 0;
    if (idlePolls === IDLE_POLLS) return pending;
    await sleep(POLL_INTERVAL_MS);
  }
}

/**
 * Consecutive polls with the same result: a single poll may fall between an event and the
 * scheduler's reaction.
 */
const IDLE_POLLS = 3;
const POLL_INTERVAL_MS = 100;

const nameOf = (pod: unknown): string => `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`;

function toUnboundPod(pod: unknown): UnboundPod {
  const name = nameOf(pod);
  const scheduled = listAt(pod, 'status', 'conditions').find((one) => textAt(one, 'type') === 'PodScheduled');
  // Removes the part of the message about preemption.
  const [why = ''] = textAt(scheduled, 'message').split('. no new claims');
  return { pod: name, why };
}
