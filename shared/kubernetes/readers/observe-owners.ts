import * as z from 'zod';
import { quantitiesSchema } from '../../api/builtin-resources/quantities.ts';
import { getOrCreate } from '../../model/memo.ts';
import { isActive, isProvisionable } from '../../model/pods/disruption-pods.ts';
import type { OwnerReference, Pod } from '../../model/pods/pod.ts';
import type { PodOwner, QuotaRoom } from '../../model/pods/workload.ts';
import { toResources } from '../../model/quantity.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, subtractResources } from '../../model/resources.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import {
  type ApiResource,
  collectionPath,
  JOBS,
  objectPath,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  STATEFUL_SETS,
} from '../client/api-resources.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { readPodOwner } from './read-pod-owner.ts';

/** Each owner is a request; if there are more, those with the most pending pods are read. */
const MAX_OWNERS = 30;
/** An owner whose newest pod is older is not creating pods any more. */
const RECENT_MS = MINUTE_MS;
/** Fewer recent pods are normal churn, not a scale-up. */
const MIN_RECENT_PODS = 5;

const OWNER_RESOURCES: Readonly<Record<PodOwner['kind'], ApiResource>> = {
  ReplicaSet: REPLICA_SETS,
  StatefulSet: STATEFUL_SETS,
  Job: JOBS,
};

/**
 * Reads the owners of pending pods and of many recent pods, and the quotas of their namespaces.
 *
 * Owners are read one by one, because a list of ReplicaSets contains every old template. Owners
 * that are gone or forbidden are left out: the planner does not anticipate their pods.
 */
export async function observeOwners(
  api: Pick<KubernetesApi, 'send'>,
  pods: readonly Pod[],
  now: EpochMs,
): Promise<Pick<ClusterObjects, 'owners' | 'quotas'>> {
  const read = await Promise.all(selectOwners(pods, now).map((owner) => readOwner(api, owner)));
  const owners = read.filter((owner) => owner !== undefined);
  if (owners.length === 0) return {};
  const namespaces = listNamespacesWithMissingPods(owners, pods);
  const quotas = await Promise.all(namespaces.map((namespace) => readQuotas(api, namespace)));
  return { owners, quotas: quotas.flat() };
}

interface OwnerToRead extends Omit<OwnerReference, 'kind'> {
  readonly kind: PodOwner['kind'];
  readonly namespace: string;
}

interface OwnerPods {
  readonly owner: OwnerToRead;
  pending: number;
  recent: number;
}

function selectOwners(pods: readonly Pod[], now: EpochMs): readonly OwnerToRead[] {
  return [...groupPodsByOwner(pods, now).values()]
    .filter(({ pending, recent }) => pending > 0 || recent >= MIN_RECENT_PODS)
    .toSorted((a, b) => b.pending - a.pending || b.recent - a.recent)
    .slice(0, MAX_OWNERS)
    .map(({ owner }) => owner);
}

function groupPodsByOwner(pods: readonly Pod[], now: EpochMs): ReadonlyMap<string, OwnerPods> {
  const byOwner = new Map<string, OwnerPods>();
  for (const pod of pods) {
    const { owner, namespace } = pod;
    const isPending = isProvisionable(pod);
    const isRecent = now - pod.createdAt <= RECENT_MS;
    if (!owner || !isKnownKind(owner.kind) || (!isPending && !isRecent)) continue;
    const { kind, name, uid } = owner;
    const ownerPods = getOrCreate(byOwner, uid, () => ({
      owner: { kind, name, uid, namespace },
      pending: 0,
      recent: 0,
    }));
    if (isPending) ownerPods.pending += 1;
    if (isRecent) ownerPods.recent += 1;
  }
  return byOwner;
}

const isKnownKind = (kind: string): kind is PodOwner['kind'] => kind in OWNER_RESOURCES;

async function readOwner(
  api: Pick<KubernetesApi, 'send'>,
  { kind, namespace, name, uid }: OwnerToRead,
): Promise<PodOwner | undefined> {
  const path = objectPath(OWNER_RESOURCES[kind], { namespace, name });
  const body = await readIfAllowed(api, {
    verb: 'get',
    resource: OWNER_RESOURCES[kind].name,
    path,
  });
  const owner = readPodOwner(kind, body);
  // The name may belong to a kind of another group, or to a newer object.
  return owner?.uid === uid ? owner : undefined;
}

/** Quotas matter only for namespaces in which pods are still missing. */
function listNamespacesWithMissingPods(owners: readonly PodOwner[], pods: readonly Pod[]): readonly string[] {
  const counts = new Map(owners.map(({ uid }) => [uid, 0]));
  for (const pod of pods) {
    const count = counts.get(pod.owner?.uid ?? '');
    if (count === undefined || !isActive(pod)) continue;
    counts.set(pod.owner?.uid ?? '', count + 1);
  }
  const incompleteOwners = owners.filter(({ uid, desiredPods }) => desiredPods > (counts.get(uid) ?? 0));
  return [...new Set(incompleteOwners.map(({ namespace }) => namespace))];
}

const listSchema = z.object({ items: z.array(z.unknown()).nullable() });

/** If the quotas cannot be read, assume that a quota may block pods. */
async function readQuotas(api: Pick<KubernetesApi, 'send'>, namespace: string): Promise<readonly QuotaRoom[]> {
  const path = collectionPath(RESOURCE_QUOTAS, namespace);
  const body = await readIfAllowed(api, { verb: 'list', resource: RESOURCE_QUOTAS.name, path });
  const { data } = listSchema.safeParse(body);
  const rooms = data?.items?.map(readQuotaRoom) ?? [undefined];
  return rooms.map((room) => room ?? { namespace, name: '', free: {}, isPartlyKnown: true });
}

async function readIfAllowed(
  api: Pick<KubernetesApi, 'send'>,
  request: Parameters<KubernetesApi['send']>[0],
): Promise<unknown> {
  try {
    const response = await api.send(request);
    return isSuccess(response) ? response.body : undefined;
  } catch (error) {
    if (error instanceof ApiForbiddenError) return undefined;
    throw error;
  }
}

const schema = z.object({
  metadata: z.object({ namespace: z.string(), name: z.string() }),
  status: z.object({ hard: quantitiesSchema.default({}), used: quantitiesSchema.default({}) }).prefault({}),
});

/**
 * Pods that a ResourceQuota still allows; `undefined` if it cannot be read. Scopes are ignored, so it
 * may seem to limit pods that it does not.
 */
export function readQuotaRoom(raw: unknown): QuotaRoom | undefined {
  const { data } = schema.safeParse(raw);
  if (!data) return undefined;
  const { namespace, name } = data.metadata;
  const hard = toResources(pickPodQuantities(data.status.hard));
  const used = toResources(pickPodQuantities(data.status.used));
  return {
    namespace,
    name,
    free: subtractResources(hard, pickNamed(used, hard)),
    isPartlyKnown: Object.keys(data.status.hard).some((key) => key.startsWith('limits.')),
  };
}

type Quantities = z.output<typeof quantitiesSchema>;

/**
 * Keeps the limits that apply to pods, by resource name; services, secrets and storage are left
 * out.
 */
const pickPodQuantities = (quantities: Quantities): Quantities =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([key, quantity]) => {
      const name = toRequestName(key);
      return name === undefined ? [] : [[name, quantity]];
    }),
  );

function toRequestName(key: string): string | undefined {
  if (key === PODS || key === 'count/pods') return PODS;
  if (key === CPU || key === MEMORY || key === EPHEMERAL_STORAGE) return key;
  const requested = /^requests\.(.+)$/.exec(key)?.[1];
  return requested === 'storage' ? undefined : requested;
}

const pickNamed = <T>(from: Readonly<Record<string, T>>, names: object): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(names, name)));
