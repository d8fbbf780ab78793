import type { AdminClient } from './admin-client.ts';

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const RENEW_EVERY_MS = 2_000;

export interface HeldLease {
  /** Stops the renewals and leaves the lease, as a process that dies does. */
  abandon(): void;
  /** Stops the renewals and deletes the lease. */
  end(): Promise<void>;
}

/** Holds a lease as a running Karpenter does. */
export async function keepLease(kube: AdminClient, name: string): Promise<HeldLease> {
  const spec = (): object => ({
    holderIdentity: 'karpenter-0',
    leaseDurationSeconds: 15,
    acquireTime: new Date().toISOString().replace('Z', '000Z'),
    renewTime: new Date().toISOString().replace('Z', '000Z'),
    leaseTransitions: 0,
  });
  const type = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  await kube.create(LEASES, { ...type, metadata: { name }, spec: spec() });
  const timer = setInterval(() => {
    kube.patch(`${LEASES}/${name}`, { spec: spec() }).catch(() => undefined);
  }, RENEW_EVERY_MS);
  return {
    abandon: () => clearInterval(timer),
    async end() {
      clearInterval(timer);
      await kube.remove(`${LEASES}/${name}`);
    },
  };
}
