import * as z from 'zod';
import {
  isHeldBy,
  judgeLease,
  type Owner,
  type OwnerLease,
  released,
  type Standing,
} from '../model/ownership.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Clock } from '../ports/ports.ts';
import type { Ownership } from '../ports/records.ts';
import { ApiMalformedAnswerError, ApiUnreachableError } from './client/api-errors.ts';
import { collectionPath, LEASES, objectPath } from './client/api-resources.ts';
import { refusalOf } from './client/api-responses.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from './client/kubernetes-api.ts';
import { formatMicroTime, instantSchema } from './readers/live-object.ts';

interface KubernetesOwnershipParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  readonly self: Owner;
}

/** A plan commits many claims: they are one commit, and one look. */
const REMEMBERED_MS = SECOND_MS;
/** Of two that write at once one is refused, and then sees the other. */
const MOST_ATTEMPTS = 3;

/** The owner Lease in the cluster itself, for that is what all who could own it share. */
export function kubernetesOwnership({ api, clock, self }: KubernetesOwnershipParts): Ownership {
  let last: { readonly at: EpochMs; readonly standing: Promise<Standing> } | undefined;

  async function ask(force: boolean): Promise<Standing> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const [live, karpenterRenewedAt] = await Promise.all([readOwn(api), readKarpenters(api)]);
      const { standing, write } = judgeLease({
        self,
        now: clock.now(),
        force,
        ...(live ? { lease: ownerLeaseOf(live) } : {}),
        ...(karpenterRenewedAt === undefined ? {} : { karpenterRenewedAt }),
      });
      if (!write || (await store(api, leaseManifest(write, versionOf(live)), live)))
        return standing;
    }
    throw new ApiUnreachableError(READING, {
      why: 'the owner lease changes as fast as it is read',
    });
  }

  function remember(standing: Promise<Standing>): Promise<Standing> {
    const entry = { at: clock.now(), standing };
    last = entry;
    // What could not be asked is asked again.
    standing.catch(() => {
      if (last === entry) last = undefined;
    });
    return standing;
  }

  return {
    async claim() {
      const isRecent = last !== undefined && clock.now() < last.at + REMEMBERED_MS;
      return last && isRecent ? last.standing : remember(ask(false));
    },
    takeOver: () => remember(ask(true)),
    async release() {
      last = undefined;
      const live = await readOwn(api);
      if (!live || !isHeldBy(ownerLeaseOf(live), self)) return;
      await store(
        api,
        leaseManifest(released(ownerLeaseOf(live), clock.now()), versionOf(live)),
        live,
      );
    },
  };
}

/** Its name, and the namespace that holds the leases of a cluster's own controllers. */
export const OWNER_LEASE = { namespace: 'kube-system', name: 'mortise' } as const;
/** @see Karpenter, operator: LeaderElectionID; in the namespace that it was installed to */
const KARPENTER_LEASE = 'karpenter-leader-election';

const specSchema = z.object({
  holderIdentity: z.string().nullish(),
  leaseDurationSeconds: z.number().nullish(),
  acquireTime: instantSchema.nullish(),
  renewTime: instantSchema.nullish(),
  leaseTransitions: z.number().nullish(),
});

const leaseSchema = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  spec: specSchema.prefault({}),
});
type LiveLease = z.output<typeof leaseSchema>;

const readLease = (raw: unknown): LiveLease | undefined => leaseSchema.safeParse(raw).data;

/** A field that somebody took away reads as long ago: a lease that says nothing holds nobody off. */
const ownerLeaseOf = ({ spec }: LiveLease): OwnerLease => ({
  holder: spec.holderIdentity ?? '',
  acquiredAt: spec.acquireTime ?? 0,
  renewedAt: spec.renewTime ?? 0,
  durationMs: (spec.leaseDurationSeconds ?? 0) * SECOND_MS,
  transitions: spec.leaseTransitions ?? 0,
});

const leaseManifest = (
  { holder, acquiredAt, renewedAt, durationMs, transitions }: OwnerLease,
  resourceVersion?: string,
): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { ...OWNER_LEASE, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  spec: {
    holderIdentity: holder,
    leaseDurationSeconds: durationMs / SECOND_MS,
    acquireTime: formatMicroTime(acquiredAt),
    renewTime: formatMicroTime(renewedAt),
    leaseTransitions: transitions,
  },
});

const PATH = objectPath(LEASES, OWNER_LEASE);
const READING = { verb: 'get', resource: LEASES.name, path: PATH } as const;

async function readOwn(api: KubernetesApi): Promise<LiveLease | undefined> {
  const answer = await api.ask(READING);
  if (answer.status === 404) return undefined;
  if (!isSuccess(answer)) throw refusalOf(READING, answer);
  const lease = readLease(answer.body);
  if (!lease) throw new ApiMalformedAnswerError(READING, { why: 'no Lease' });
  return lease;
}

const listSchema = z.object({ items: z.array(z.unknown()).nullable() });

/**
 * When Karpenter last said that it is there, in whatever namespace it was installed to.
 *
 * @returns absent: it never has
 */
export async function readKarpenters(api: KubernetesApi): Promise<EpochMs | undefined> {
  // Every node has a lease as well: from its cache the API server answers without reading them all,
  // and a second more or less is nothing beside a minute.
  const query = { fieldSelector: `metadata.name=${KARPENTER_LEASE}`, resourceVersion: '0' };
  const request = {
    verb: 'list',
    resource: LEASES.name,
    path: collectionPath(LEASES),
    query,
  } as const;
  const list = listSchema.safeParse(await api.read(request));
  if (!list.success) throw new ApiMalformedAnswerError(request, { why: 'no list' });
  const times = (list.data.items ?? []).map((raw) => readLease(raw)?.spec.renewTime ?? 0);
  return times.length > 0 ? Math.max(...times) : undefined;
}

const versionOf = (live: LiveLease | undefined): string | undefined =>
  live?.metadata.resourceVersion;

/** @returns whether it was written; if not, somebody else was quicker */
async function store(
  api: KubernetesApi,
  body: object,
  live: LiveLease | undefined,
): Promise<boolean> {
  const request = live ? patching(body) : creating(body);
  const answer = await api.ask(request);
  if (isSuccess(answer)) return true;
  if (answer.status === 409 || answer.status === 404) return false;
  throw refusalOf(request, answer);
}

const creating = (body: object): ApiRequest => ({
  verb: 'create',
  resource: LEASES.name,
  path: collectionPath(LEASES, OWNER_LEASE.namespace),
  body,
});

const patching = (body: object): ApiRequest => ({
  verb: 'patch',
  resource: LEASES.name,
  path: PATH,
  contentType: 'application/merge-patch+json',
  body,
});
