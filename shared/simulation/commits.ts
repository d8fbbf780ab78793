import { type Commits, type LatestCommit, type Launches, type Lease, LEASE_MARGIN_MS, type LeaseRole, type Leases, type StoredLaunch } from '../ports/records.ts';

export function simCommits(): Commits {
  let latest: LatestCommit = { epoch: 0 };
  let lastFence = 0;

  return {
    latest: async () => latest,
    async add(commit, seen, { fence }) {
      if (latest.epoch !== seen || fence < lastFence) return false;
      latest = { epoch: seen + 1, open: commit };
      lastFence = fence;
      return true;
    },
    async close(epoch) {
      if (latest.epoch === epoch) latest = { epoch };
    },
  };
}

export function simLaunches(): Launches {
  const rows = new Map<string, StoredLaunch>();

  return {
    find: async (id) => rows.get(id),
    list: async () => [...rows.values()],
    async save(record, seen) {
      if ((rows.get(record.id)?.version ?? 0) !== seen) return false;
      rows.set(record.id, { record, version: seen + 1 });
      return true;
    },
    async remove(id) {
      rows.delete(id);
    },
  };
}

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
