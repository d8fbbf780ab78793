import type { SweepState, SweepStateStore } from '../ports/learned-state.ts';
import type { NodeClasses, ResolvedNodeClass } from '../ports/node-classes.ts';
import type { Planner, PlanningStateStore, StoredPlanningState } from '../ports/planning-state.ts';
import type { Ports } from '../ports/ports.ts';
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
import { memoryLearnedSizes } from './capacity-records.ts';
import { memoryPoolBackoffs, memoryRegistrationHealths, memoryRollouts } from './disruption-records.ts';
import { memoryWakeUps } from './node-claims.ts';

/**
 * The records that a controller keeps about decisions and work in progress. The stores of this folder
 * lose them when the process ends: for a controller without a table, and for the simulation.
 */
type ControllerRecords = Pick<
  Ports,
  | 'leases'
  | 'launches'
  | 'commits'
  | 'sweepState'
  | 'planningState'
  | 'poolBackoffs'
  | 'registrationHealths'
  | 'rollouts'
  | 'wakeUps'
  | 'learnedSizes'
> & { readonly nodeClasses: NodeClasses };

export const memoryControllerRecords = (): ControllerRecords => ({
  leases: memoryLeases(),
  launches: memoryLaunches(),
  commits: memoryCommits(),
  sweepState: memorySweepState(),
  planningState: memoryPlanningState(),
  poolBackoffs: memoryPoolBackoffs(),
  registrationHealths: memoryRegistrationHealths(),
  rollouts: memoryRollouts(),
  nodeClasses: memoryNodeClasses(),
  wakeUps: memoryWakeUps(),
  learnedSizes: memoryLearnedSizes(),
});

export function memoryNodeClasses(): NodeClasses {
  const rows = new Map<string, ResolvedNodeClass>();

  return {
    find: async (name) => rows.get(name),
    list: async () => [...rows.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    async save(resolved) {
      const before = rows.get(resolved.name);
      if (!before || before.resolvedAt <= resolved.resolvedAt) rows.set(resolved.name, resolved);
    },
    async remove(name) {
      rows.delete(name);
    },
  };
}

function memorySweepState(): SweepStateStore {
  let state: SweepState | undefined;

  return {
    read: async () => state,
    async write(next) {
      state = next;
    },
  };
}

function memoryPlanningState(): PlanningStateStore {
  const rows = new Map<Planner, StoredPlanningState>();

  return {
    find: async (planner) => rows.get(planner),
    async save(planner, state, expected) {
      if ((rows.get(planner)?.version ?? 0) !== expected) return false;
      rows.set(planner, { state, version: expected + 1 });
      return true;
    },
  };
}

function memoryCommits(): Commits {
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

function memoryLaunches(): Launches {
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

function memoryLeases(): Leases {
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
