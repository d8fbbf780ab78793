import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaims, Stored } from '../../ports/records.ts';

/** Called after each write that got through. @param before - absent: the claim is new */
type ClaimChangeListener = (before: NodeClaim | undefined, after: NodeClaim) => void;

/** The same records, which tell what writes make of claims: once, for one writer of a version wins. */
export function withChangeListener(nodeClaims: NodeClaims, onChange: ClaimChangeListener): NodeClaims {
  // Who writes has read: the newest that was read is what the write is about.
  const lastRead = new Map<string, Stored>();

  return {
    ...nodeClaims,
    async find(name) {
      const stored = await nodeClaims.find(name);
      if (stored) lastRead.set(name, stored);
      return stored;
    },
    async list() {
      const all = await nodeClaims.list();
      lastRead.clear();
      for (const stored of all) lastRead.set(stored.claim.name, stored);
      return all;
    },
    async save(claim, expectedVersion) {
      const before = lastRead.get(claim.name);
      await nodeClaims.save(claim, expectedVersion);
      if (claim.terminatedAt === undefined) lastRead.set(claim.name, { claim, version: expectedVersion + 1 });
      else lastRead.delete(claim.name);
      if (expectedVersion === 0) onChange(undefined, claim);
      else if (before?.version === expectedVersion) onChange(before.claim, claim);
    },
  };
}

/** The same records, whose lists are one where they are asked for while one is under way. */
export function withSharedLists(nodeClaims: NodeClaims): NodeClaims {
  let pending: Promise<readonly Stored[]> | undefined;
  return {
    ...nodeClaims,
    list() {
      pending ??= nodeClaims.list().finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}
