import * as z from 'zod';
import { getOrCreate } from '../../model/memo.ts';
import { isProvisionable, isTerminal, isTerminating } from '../../model/pods/disruption-pods.ts';
import type { OwnerReference, Pod } from '../../model/pods/pod.ts';
import type { PodOwner, QuotaRoom } from '../../model/pods/workload.ts';
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
import { readQuotaRoom } from './read-resource-quota.ts';

/** Each is a request; of more than so many, those with the most pending pods are read. */
const MOST_OWNERS = 30;
/** Owners whose pods came longer ago than this are not still making them. */
const LATELY_MS = MINUTE_MS;
/** Fewer come and go all day, without a scale-up under way. */
const MANY_LATELY = 5;

const RESOURCES: Readonly<Record<PodOwner['kind'], ApiResource>> = {
  ReplicaSet: REPLICA_SETS,
  StatefulSet: STATEFUL_SETS,
  Job: JOBS,
};

/**
 * What owns the pods that wait, and those that came lately in numbers, and how much more its namespace lets in.
 * One by one, for a list of ReplicaSets holds every template there ever was. What must not be read,
 * or is gone, is left out: nobody plans ahead for it then.
 */
export async function observeOwners(
  api: Pick<KubernetesApi, 'ask'>,
  pods: readonly Pod[],
  now: EpochMs,
): Promise<Pick<ClusterObjects, 'owners' | 'quotas'>> {
  const read = await Promise.all(ownersToRead(pods, now).map((owner) => readOwner(api, owner)));
  const owners = read.filter((owner) => owner !== undefined);
  if (owners.length === 0) return {};
  const namespaces = namespacesToAskIn(owners, pods);
  const quotas = await Promise.all(namespaces.map((namespace) => readQuotas(api, namespace)));
  return { owners, quotas: quotas.flat() };
}

interface OwnerToRead extends Omit<OwnerReference, 'kind'> {
  readonly kind: PodOwner['kind'];
  readonly namespace: string;
}

interface Members {
  readonly owner: OwnerToRead;
  pending: number;
  lately: number;
}

function ownersToRead(pods: readonly Pod[], now: EpochMs): readonly OwnerToRead[] {
  return [...membersByOwner(pods, now).values()]
    .filter(({ pending, lately }) => pending > 0 || lately >= MANY_LATELY)
    .toSorted((a, b) => b.pending - a.pending || b.lately - a.lately)
    .slice(0, MOST_OWNERS)
    .map(({ owner }) => owner);
}

function membersByOwner(pods: readonly Pod[], now: EpochMs): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>();
  for (const pod of pods) {
    const { owner, namespace } = pod;
    const isPending = isProvisionable(pod);
    const isLate = now - pod.createdAt <= LATELY_MS;
    if (!owner || !isKnownKind(owner.kind) || (!isPending && !isLate)) continue;
    const { kind, name, uid } = owner;
    const members = getOrCreate(found, uid, () => ({
      owner: { kind, name, uid, namespace },
      pending: 0,
      lately: 0,
    }));
    if (isPending) members.pending += 1;
    if (isLate) members.lately += 1;
  }
  return found;
}

const isKnownKind = (kind: string): kind is PodOwner['kind'] => kind in RESOURCES;

async function readOwner(
  api: Pick<KubernetesApi, 'ask'>,
  { kind, namespace, name, uid }: OwnerToRead,
): Promise<PodOwner | undefined> {
  const path = objectPath(RESOURCES[kind], { namespace, name });
  const body = await readIfAllowed(api, { verb: 'get', resource: RESOURCES[kind].name, path });
  const owner = readPodOwner(kind, body);
  // Another group's kind of the same name, or a new object under an old one's.
  return owner?.uid === uid ? owner : undefined;
}

/** Only where pods are still to come does it matter how many may. */
function namespacesToAskIn(owners: readonly PodOwner[], pods: readonly Pod[]): readonly string[] {
  const counts = new Map(owners.map(({ uid }) => [uid, 0]));
  for (const pod of pods) {
    const count = counts.get(pod.owner?.uid ?? '');
    if (count === undefined || isTerminal(pod) || isTerminating(pod)) continue;
    counts.set(pod.owner?.uid ?? '', count + 1);
  }
  const lacking = owners.filter(({ uid, wants }) => wants > (counts.get(uid) ?? 0));
  return [...new Set(lacking.map(({ namespace }) => namespace))];
}

const listSchema = z.object({ items: z.array(z.unknown()).nullable() });

/** A namespace whose quotas cannot be read may have none that lets anything in. */
async function readQuotas(
  api: Pick<KubernetesApi, 'ask'>,
  namespace: string,
): Promise<readonly QuotaRoom[]> {
  const path = collectionPath(RESOURCE_QUOTAS, namespace);
  const body = await readIfAllowed(api, { verb: 'list', resource: RESOURCE_QUOTAS.name, path });
  const { data } = listSchema.safeParse(body);
  const rooms = data?.items?.map(readQuotaRoom) ?? [undefined];
  return rooms.map((room) => room ?? { namespace, name: '', free: {}, isPartlyKnown: true });
}

async function readIfAllowed(
  api: Pick<KubernetesApi, 'ask'>,
  request: Parameters<KubernetesApi['ask']>[0],
): Promise<unknown> {
  try {
    const answer = await api.ask(request);
    return isSuccess(answer) ? answer.body : undefined;
  } catch (error) {
    if (error instanceof ApiForbiddenError) return undefined;
    throw error;
  }
}
