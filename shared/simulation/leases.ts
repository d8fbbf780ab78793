import { LEASE_MARGIN_MS, type Lease, type LeaseRole, type Leases } from '../ports/leases.ts';

export function simLeases(): Leases {
  const current = new Map<LeaseRole, Lease>();
  const isCurrent = ({ role, fence, holder }: Lease): boolean => {
    const known = current.get(role);
    return known?.fence === fence && known.holder === holder;
  };

  return {
    async acquire(role, { holder, now, forMs }) {
      const known = current.get(role);
      const isFree = !known || known.holder === holder || known.until + LEASE_MARGIN_MS < now;
      if (!isFree) return undefined;
      const lease = { role, holder, fence: (known?.fence ?? 0) + 1, until: now + forMs };
      current.set(role, lease);
      return lease;
    },
    async renew(lease, until) {
      if (!isCurrent(lease)) return undefined;
      const renewed = { ...lease, until };
      current.set(lease.role, renewed);
      return renewed;
    },
    async release(lease) {
      if (isCurrent(lease)) current.set(lease.role, { ...lease, holder: '', until: 0 });
    },
  };
}
