import type { V1Lease } from '@kubernetes/client-node';
import * as z from 'zod';
import {
  evaluateLease,
  findUninstallEnd,
  forgetUninstall,
  isHeldBy,
  type Owner,
  type OwnerLease,
  type OwnershipStatus,
  releaseLease,
} from '../model/ownership.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Clock } from '../ports/ports.ts';
import type { Ownership } from '../ports/records.ts';
import { ApiConflictError, ApiMalformedAnswerError } from './client/api-errors.ts';
import { collectionPath, LEASES, objectPath } from './client/api-resources.ts';
import { toApiError } from './client/api-responses.ts';
import type { Json } from './client/json.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from './client/kubernetes-api.ts';
import { readObject } from './client/read-object.ts';
import { formatMicroTime, instantSchema } from './readers/live-object.ts';

interface KubernetesOwnershipParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  readonly self: Owner;
}

/** A plan commits many claims: one check of the lease serves all of them. */
const CACHE_MS = SECOND_MS;
/** If two owners write at once, the API server refuses one; that one re-reads the lease. */
const MAX_ATTEMPTS = 3;

/** Ownership by a Lease in the cluster, because every possible owner can reach the cluster. */
export function kubernetesOwnership({ api, clock, self }: KubernetesOwnershipParts): Ownership {
  let last: { readonly at: EpochMs; readonly standing: Promise<OwnershipStatus> } | undefined;

  async function judge(force: boolean): Promise<OwnershipStatus> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const [live, karpenterRenewedAt] = await Promise.all([readOwnerLease(api), readKarpenterRenewal(api)]);
      const { status, write } = evaluateLease({
        self,
        now: clock.now(),
        force,
        ...(live && { lease: toOwnerLease(live) }),
        ...(karpenterRenewedAt !== undefined && { karpenterRenewedAt }),
      });
      if (!write || (await writeLease(api, toLeaseManifest(write, versionOf(live)), live))) return status;
    }
    throw new ApiConflictError(READ_REQUEST, `Lease ${OWNER_LEASE.name}`);
  }

  function cache(standing: Promise<OwnershipStatus>): Promise<OwnershipStatus> {
    const entry = { at: clock.now(), standing };
    last = entry;
    // A failed request is not cached.
    standing.catch(() => {
      if (last === entry) last = undefined;
    });
    return standing;
  }

  return {
    async claim() {
      const isRecent = last !== undefined && clock.now() < last.at + CACHE_MS;
      return last && isRecent ? last.standing : cache(judge(false));
    },
    takeOver: () => cache(judge(true)),
    async release() {
      last = undefined;
      const live = await readOwnerLease(api);
      if (!live || !isHeldBy(toOwnerLease(live), self)) return;
      await writeLease(api, toLeaseManifest(releaseLease(toOwnerLease(live), clock.now()), versionOf(live)), live);
    },
  };
}

/** When the stand-by that `mortise uninstall` left ends; `undefined` if there is none. */
export async function readUninstallEnd(api: KubernetesApi, now: EpochMs): Promise<EpochMs | undefined> {
  const live = await readOwnerLease(api);
  return live && findUninstallEnd(toOwnerLease(live), now);
}

/** Returns when the quiet time after a hand-over ends; `undefined` if there is none. */
export async function readQuietEnd(api: KubernetesApi, now: EpochMs): Promise<EpochMs | undefined> {
  const live = await readOwnerLease(api);
  const until = live && toOwnerLease(live).quietUntil;
  return until !== undefined && now < until ? until : undefined;
}

/** Ends the stand-by that `mortise uninstall` left, whichever stack it uninstalled. */
export async function endUninstall(api: KubernetesApi, now: EpochMs): Promise<void> {
  const live = await readOwnerLease(api);
  if (!live || findUninstallEnd(toOwnerLease(live), now) === undefined) return;
  const forgotten = forgetUninstall(toOwnerLease(live), now);
  // If another process writes first, the lease is no longer that of the uninstallation.
  await writeLease(api, toLeaseManifest(forgotten, versionOf(live)), live);
}

/** kube-system holds the leases of a cluster's own controllers. */
export const OWNER_LEASE = { namespace: 'kube-system', name: 'mortise' } as const;
/**
 * In the namespace that Karpenter was installed to.
 *
 * @see Karpenter, operator: LeaderElectionID
 */
const KARPENTER_LEASE = 'karpenter-leader-election';

const specSchema = z.object({
  holderIdentity: z.string().nullish(),
  leaseDurationSeconds: z.number().nullish(),
  acquireTime: instantSchema.nullish(),
  renewTime: instantSchema.nullish(),
  leaseTransitions: z.number().nullish(),
});

/** A Lease has no fields for these two. */
const QUIET_ANNOTATION = 'mortise.sh/quiet-until';
const RELEASED_BY_ANNOTATION = 'mortise.sh/released-by';

const leaseSchema = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    annotations: z
      .object({
        [QUIET_ANNOTATION]: instantSchema.optional().catch(undefined),
        [RELEASED_BY_ANNOTATION]: z.string().optional(),
      })
      .prefault({}),
  }),
  spec: specSchema.prefault({}),
});
type LiveLease = z.output<typeof leaseSchema>;

const readLease = (raw: unknown): LiveLease | undefined => leaseSchema.safeParse(raw).data;

/** A missing field reads as zero: an incomplete lease never blocks another owner. */
const toOwnerLease = ({ spec, metadata: { annotations } }: LiveLease): OwnerLease => ({
  holder: spec.holderIdentity ?? '',
  ...toReleasedBy(annotations[RELEASED_BY_ANNOTATION]),
  ...toQuietUntil(annotations[QUIET_ANNOTATION]),
  acquiredAt: spec.acquireTime ?? 0,
  renewedAt: spec.renewTime ?? 0,
  durationMs: (spec.leaseDurationSeconds ?? 0) * SECOND_MS,
  transitions: spec.leaseTransitions ?? 0,
});

const toReleasedBy = (releasedBy: string | undefined) =>
  releasedBy === undefined || releasedBy === '' ? {} : { releasedBy };
const toQuietUntil = (quietUntil: EpochMs | undefined) => (quietUntil === undefined ? {} : { quietUntil });

const toLeaseManifest = (
  { holder, releasedBy = '', quietUntil, acquiredAt, renewedAt, durationMs, transitions }: OwnerLease,
  resourceVersion?: string,
): Json<V1Lease> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    ...OWNER_LEASE,
    // An empty value replaces an earlier one, which a merge patch would keep.
    annotations: {
      [RELEASED_BY_ANNOTATION]: releasedBy,
      [QUIET_ANNOTATION]: quietUntil === undefined ? '' : formatMicroTime(quietUntil),
    },
    ...(resourceVersion !== undefined && { resourceVersion }),
  },
  spec: {
    holderIdentity: holder,
    leaseDurationSeconds: durationMs / SECOND_MS,
    acquireTime: formatMicroTime(acquiredAt),
    renewTime: formatMicroTime(renewedAt),
    leaseTransitions: transitions,
  },
});

const PATH = objectPath(LEASES, OWNER_LEASE);
const READ_REQUEST = { verb: 'get', resource: LEASES.name, path: PATH } as const;

async function readOwnerLease(api: KubernetesApi): Promise<LiveLease | undefined> {
  const body = await readObject(api, LEASES, OWNER_LEASE);
  if (body === undefined) return undefined;
  const lease = readLease(body);
  if (!lease) throw new ApiMalformedAnswerError(READ_REQUEST, { why: 'no Lease' });
  return lease;
}

const listSchema = z.object({ items: z.array(z.unknown()).nullable() });

/**
 * When Karpenter last renewed its lease, in any namespace.
 *
 * @returns `undefined` if it never did
 */
export async function readKarpenterRenewal(api: KubernetesApi): Promise<EpochMs | undefined> {
  // Every node has a lease too. With resourceVersion 0 the API server answers from its cache; a
  // second of delay is negligible against a minute.
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

const versionOf = (live: LiveLease | undefined): string | undefined => live?.metadata.resourceVersion;

/**
 * @returns false if another owner wrote first
 */
async function writeLease(api: KubernetesApi, body: object, live: LiveLease | undefined): Promise<boolean> {
  const request = live ? toPatchRequest(body) : toCreateRequest(body);
  const response = await api.send(request);
  if (isSuccess(response)) return true;
  if (response.status === 409 || response.status === 404) return false;
  throw toApiError(request, response);
}

const toCreateRequest = (body: object): ApiRequest => ({
  verb: 'create',
  resource: LEASES.name,
  path: collectionPath(LEASES, OWNER_LEASE.namespace),
  body,
});

const toPatchRequest = (body: object): ApiRequest => ({
  verb: 'patch',
  resource: LEASES.name,
  path: PATH,
  contentType: 'application/merge-patch+json',
  body,
});
