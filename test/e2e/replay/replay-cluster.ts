import { setTimeout as sleep } from 'node:timers/promises';
import type { Unbound } from '../../vectors/replay/replay-report.ts';
import { listAt, textAt } from '../lab/json.ts';
import type { AskServer } from '../lab/kubernetes-client.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { ARRIVING, type Manifest } from './manifests.ts';
import { CLAIMS, claimsOf, provisioningOf, STORAGE } from './storage.ts';

/** A cluster without kubelets, in which one plan after the other is tried. */
export interface ReplayCluster {
  /** Namespaces, nodes and what runs on them; resolves when the scheduler has had time to see it. */
  furnish(namespaces: readonly string[], manifests: readonly Manifest[]): Promise<void>;
  /**
   * Creates pods, one after the other, and waits until the scheduler does no more.
   *
   * @param storage - what their volumes need; volumes that are still to be made are made
   * @returns those without a node
   */
  schedule(pods: readonly Manifest[], storage: readonly Manifest[]): Promise<readonly Unbound[]>;
  /** The pods that were scheduled, and their storage. */
  removeArrivals(): Promise<void>;
  clear(): Promise<void>;
}

const CONCURRENCY = 8;
/** The scheduler learns of nodes and of pods by different watches. */
const SETTLE_MS = 250;
const AT_ONCE = 'gracePeriodSeconds=0';

/** @param countPutAside - how many pods the scheduler does not try for now */
export function createReplayCluster(
  ask: AskServer,
  countPutAside: () => Promise<number>,
): ReplayCluster {
  const known = new Set(['default']);
  let hasStorage = false;
  const must = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await ask(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${textAt(answer.body, 'message')}`);
  };
  const addNamespaces = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      if (known.has(name)) continue;
      const { status } = await ask('POST', '/api/v1/namespaces', { metadata: { name } });
      // Some are there from the start.
      if (status >= 300 && status !== CONFLICT) throw new Error(`namespace ${name}: ${status}`);
      known.add(name);
    }
  };
  const create = ({ path, body }: Manifest): Promise<unknown> => must('POST', path, body);
  const arrivals = `labelSelector=${encodeURIComponent(ARRIVING)}`;
  const makeVolumes = async (): Promise<void> => {
    for (const claim of listAt(await must('GET', CLAIMS), 'items')) {
      const provisioning = provisioningOf(claim);
      if (!provisioning) continue;
      await create(provisioning.volume);
      await must('PUT', provisioning.claim.path, provisioning.claim.body);
    }
  };
  // Asked again until none is left: one that is just being bound may slip through.
  const removePods = (selector: string): Promise<true> =>
    waitUntil('pods to go', async () => {
      for (const name of known) {
        await must('DELETE', `/api/v1/namespaces/${name}/pods?${AT_ONCE}&${selector}`);
      }
      const left = await must('GET', `/api/v1/pods?limit=1&${selector}`);
      return listAt(left, 'items').length === 0;
    });

  return {
    async furnish(namespaces, manifests) {
      await addNamespaces([...namespaces, ...manifests.flatMap(namespaceOf)]);
      const nodes = manifests.filter(({ path }) => path.endsWith('/nodes'));
      await eachOf(nodes, create);
      await eachOf(
        manifests.filter((one) => !nodes.includes(one)),
        create,
      );
      await sleep(SETTLE_MS);
    },
    async schedule(pods, storage) {
      await addNamespaces(storage.flatMap(namespaceOf));
      hasStorage = storage.length > 0;
      for (const one of storage) await create(one);
      for (const pod of pods) await create(pod);
      const pending = `/api/v1/pods?${arrivals}&fieldSelector=spec.nodeName%3D`;
      const askPending = async (): Promise<unknown> => {
        if (hasStorage) await makeVolumes();
        return must('GET', pending);
      };
      const waiting = await settled(askPending, countPutAside);
      const left = listAt(await must('GET', `/api/v1/pods?${arrivals}`), 'items').map(nameOf);
      const present = new Set(left);
      const gone = pods.map(({ body }) => nameOf(body)).filter((name) => !present.has(name));
      return [...waiting, ...gone.map((pod) => ({ pod, why: 'preempted' }))];
    },
    async removeArrivals() {
      await removePods(arrivals);
      if (!hasStorage) return;
      for (const path of [...STORAGE, ...[...known].map(claimsOf)]) {
        await must('DELETE', `${path}?${AT_ONCE}`);
      }
      hasStorage = false;
    },
    async clear() {
      await removePods('');
      await must('DELETE', `/api/v1/nodes?${AT_ONCE}`);
      await sleep(SETTLE_MS);
    },
  };
}

const CONFLICT = 409;

const namespaceOf = ({ path }: Manifest): string[] => {
  const [, name] = /^\/api\/v1\/namespaces\/([^/]+)\//.exec(path) ?? [];
  return name === undefined ? [] : [name];
};

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Asks until no pod waits, or until all that wait have been put aside. */
async function settled(
  askPending: () => Promise<unknown>,
  countPutAside: () => Promise<number>,
): Promise<readonly Unbound[]> {
  for (let calm = 0; ; ) {
    const pending = listAt(await askPending(), 'items').map(unboundOf);
    if (pending.length === 0) return pending;
    const isCalm = pending.length === (await countPutAside());
    calm = isCalm ? calm + 1 : 0;
    if (calm === CALM_LOOKS) return pending;
    await sleep(LOOK_EVERY_MS);
  }
}

/** One look may fall between an event and what the scheduler makes of it. */
const CALM_LOOKS = 3;
const LOOK_EVERY_MS = 100;

const nameOf = (pod: unknown): string =>
  `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`;

function unboundOf(pod: unknown): Unbound {
  const name = nameOf(pod);
  const scheduled = listAt(pod, 'status', 'conditions').find(
    (one) => textAt(one, 'type') === 'PodScheduled',
  );
  // What preemption would not help either is of no interest.
  const [why = ''] = textAt(scheduled, 'message').split('. no new claims');
  return { pod: name, why };
}
