import type { NodeClasses, ResolvedNodeClass } from '../ports/node-classes.ts';
import type { Ports } from '../ports/ports.ts';
import { simCommits, simLaunches, simLeases } from './commits.ts';
import { simLearnedSizes } from './unavailable-offerings.ts';
import { simPoolBackoffs, simRollouts } from './commands.ts';
import { simWakeUps } from './node-claims.ts';
import type { SweepBook, SweepNotes } from '../ports/learned-state.ts';

/** Records of what is decided and under way, in memory. */
type SimRecords = Pick<
  Ports,
  | 'leases'
  | 'launches'
  | 'commits'
  | 'sweepBook'
  | 'poolBackoffs'
  | 'driftBackoffs'
  | 'rollouts'
  | 'wakeUps'
  | 'learnedSizes'
> & { readonly nodeClasses: NodeClasses };

export const simRecords = (): SimRecords => ({
  leases: simLeases(),
  launches: simLaunches(),
  commits: simCommits(),
  sweepBook: simSweepBook(),
  poolBackoffs: simPoolBackoffs(),
  driftBackoffs: simPoolBackoffs(),
  rollouts: simRollouts(),
  nodeClasses: simNodeClasses(),
  wakeUps: simWakeUps(),
  learnedSizes: simLearnedSizes(),
});

export function simNodeClasses(): NodeClasses {
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

function simSweepBook(): SweepBook {
  let notes: SweepNotes | undefined;

  return {
    read: async () => notes,
    async write(next) {
      notes = next;
    },
  };
}
