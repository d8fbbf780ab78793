import * as z from 'zod';
import type { OwnerLease } from '../model/ownership.ts';
import { SECOND_MS } from '../model/time.ts';
import { formatMicroTime, instantSchema } from './readers/live-object.ts';

/** Its name, and the namespace that holds the leases of a cluster's own controllers. */
export const OWNER_LEASE = { namespace: 'kube-system', name: 'mortise' } as const;
/** @see Karpenter, operator: LeaderElectionID; in the namespace that it was installed to */
export const KARPENTER_LEASE = 'karpenter-leader-election';

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
export type LiveLease = z.output<typeof leaseSchema>;

export const readLease = (raw: unknown): LiveLease | undefined => leaseSchema.safeParse(raw).data;

/** A field that somebody took away reads as long ago: a lease that says nothing holds nobody off. */
export const ownerLeaseOf = ({ spec }: LiveLease): OwnerLease => ({
  holder: spec.holderIdentity ?? '',
  acquiredAt: spec.acquireTime ?? 0,
  renewedAt: spec.renewTime ?? 0,
  durationMs: (spec.leaseDurationSeconds ?? 0) * SECOND_MS,
  transitions: spec.leaseTransitions ?? 0,
});

export const leaseManifest = (
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
