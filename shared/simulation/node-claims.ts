import { StaleNodeClaimError } from '../model/errors.ts';
import type { NodeClaims, Stored } from '../ports/node-claims.ts';

export interface SimNodeClaims extends NodeClaims {
  /** What `find` finds, at once. */
  peek(name: string): Stored | undefined;
}

/** @param onSave - called after each write */
export function simNodeClaims(onSave: (stored: Stored) => void = () => {}): SimNodeClaims {
  const rows = new Map<string, Stored>();
  const current = new Map<string, Stored>();
  let listed: readonly Stored[] | undefined;

  return {
    peek: (name) => rows.get(name),
    find: async (name) => rows.get(name),
    list: async () => (listed ??= [...current.values()]),
    async save(claim, seen) {
      if ((rows.get(claim.name)?.version ?? 0) !== seen) throw new StaleNodeClaimError(claim.name);
      const stored = { claim, version: seen + 1 };
      rows.set(claim.name, stored);
      if (claim.terminatedAt === undefined) current.set(claim.name, stored);
      else current.delete(claim.name);
      listed = undefined;
      onSave(stored);
    },
  };
}
