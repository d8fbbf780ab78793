import type { SweepState, SweepStateStore } from '../ports/learned-state.ts';
import type { NodeClasses, ResolvedNodeClass } from '../ports/node-classes.ts';
import type { Planner, PlanningStateStore, StoredPlanningState } from '../ports/planning-state.ts';
import type { Ports } from '../ports/ports.ts';
import { memoryLearnedSizes } from './capacity-records.ts';
import { memoryCommits, memoryLaunches, memoryLeases } from './commits.ts';
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
  | 'launchBackoffs'
  | 'placementBackoffs'
  | 'driftBackoffs'
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
  launchBackoffs: memoryPoolBackoffs(),
  placementBackoffs: memoryPoolBackoffs(),
  driftBackoffs: memoryPoolBackoffs(),
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
