import { StaleNodeClaimError } from '../model/errors.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import type { Nominations } from '../ports/learned-state.ts';
import type { NodeClaims, RecordList, StoredNodeClaim } from '../ports/records.ts';
import type { WakeUp, WakeUps } from '../ports/work-queue.ts';

export interface MemoryNodeClaims extends NodeClaims {
  /** Synchronous `find`. */
  peek(name: string): StoredNodeClaim | undefined;
}

/**
 * @param onSave - called after each successful write
 */
export function memoryNodeClaims(onSave: (stored: StoredNodeClaim) => void = () => {}): MemoryNodeClaims {
  const rows = new Map<string, StoredNodeClaim>();
  const activeRows = new Map<string, StoredNodeClaim>();
  let listed: RecordList<StoredNodeClaim> | undefined;
  const findActive = (matches: (claim: NodeClaim) => boolean): StoredNodeClaim | undefined =>
    activeRows.values().find(({ claim }) => matches(claim));

  return {
    peek: (name) => rows.get(name),
    find: async (name) => rows.get(name),
    findByInstance: async (id) => findActive(({ launch }) => launch?.providerId.split('/').at(-1) === id),
    findByNode: async (node) => findActive(({ nodeName }) => nodeName === node),
    list: async () => (listed ??= { records: [...activeRows.values()], unreadable: [] }),
    renew: async () => {},
    async save(claim, expectedVersion) {
      if ((rows.get(claim.name)?.version ?? 0) !== expectedVersion) throw new StaleNodeClaimError(claim.name);
      const stored = { claim, version: expectedVersion + 1 };
      rows.set(claim.name, stored);
      if (claim.terminatedAt === undefined) activeRows.set(claim.name, stored);
      else activeRows.delete(claim.name);
      listed = undefined;
      onSave(stored);
    },
  };
}

export function memoryWakeUps(): WakeUps {
  const rows = new Map<string, WakeUp>();

  return {
    find: async (claim) => rows.get(claim),
    async save(claim, wakeUp) {
      if (wakeUp.generation !== (rows.get(claim)?.generation ?? 0) + 1) return false;
      rows.set(claim, wakeUp);
      return true;
    },
  };
}

export function memoryNominations(): Nominations {
  const until = new Map<string, EpochMs>();

  return {
    async list(now) {
      for (const [name, end] of until) if (end <= now) until.delete(name);
      return Object.fromEntries(until);
    },
    async nominate(names, end) {
      for (const name of names) until.set(name, Math.max(end, until.get(name) ?? end));
    },
  };
}
