import {
  type Commits,
  type LatestCommit,
  type Launches,
  LEASE_MARGIN_MS,
  type Lease,
  type LeaseRole,
  type Leases,
  type StoredLaunch,
} from '../ports/records.ts';

export function memoryCommits(): Commits {
  let latest: LatestCommit = { epoch: 0 };
  let lastFence = 0;

  return {
    latest: async () => latest,
    async add(commit, expected, { fence }) {
      if (latest.epoch !== expected || fence < lastFence) return false;
      latest = { epoch: expected + 1, open: commit };
      lastFence = fence;
      return true;
    },
    async close(epoch) {
      if (latest.epoch === epoch) latest = { epoch };
    },
  };
}

export function memoryLaunches(): Launches {
  const rows = new Map<string, StoredLaunch>();

  return {
    find: async (id) => rows.get(id),
    list: async () => ({ records: [...rows.values()], unreadable: [] }),
    async save(record, expected) {
      if ((rows.get(record.id)?.version ?? 0) !== expected) return false;
      rows.set(record.id, { record, version: expected + 1 });
      return true;
    },
    async remove(id) {
      rows.delete(id);
    },
  };
}

export function memoryLeases(): Leases {
  const current = new Map<LeaseRole, Lease>();
  const isCurrent = ({ role, fence, holder }: Lease): boolean => {
    const held = current.get(role);
    return held?.fence === fence && held.holder === holder;
  };

  return {
    async acquire(role, { holder, now, forMs }) {
      const held = current.get(role);
      const isFree = !held || held.holder === holder || held.until + LEASE_MARGIN_MS < now;
      if (!isFree) return undefined;
      const lease = { role, holder, fence: (held?.fence ?? 0) + 1, until: now + forMs };
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
