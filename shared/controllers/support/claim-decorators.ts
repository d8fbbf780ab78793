import type { NodeClaim } from '../../model/node-claim.ts';
import type { NodeClaims, Stored } from '../../ports/records.ts';

/** Called after each write that got through. @param before - absent: the claim is new */
export type OnClaimChange = (before: NodeClaim | undefined, after: NodeClaim) => void;

/** The same records, which tell what writes make of claims: once, for one writer of a version wins. */
export function tellingClaims(nodeClaims: NodeClaims, changed: OnClaimChange): NodeClaims {
  // Who writes has read: the newest that was read is what the write is about.
  const read = new Map<string, Stored>();

  return {
    ...nodeClaims,
    async find(name) {
      const stored = await nodeClaims.find(name);
      if (stored) read.set(name, stored);
      return stored;
    },
    async list() {
      const all = await nodeClaims.list();
      read.clear();
      for (const stored of all) read.set(stored.claim.name, stored);
      return all;
    },
    async save(claim, seen) {
      const before = read.get(claim.name);
      await nodeClaims.save(claim, seen);
      if (claim.terminatedAt === undefined) read.set(claim.name, { claim, version: seen + 1 });
      else read.delete(claim.name);
      if (seen === 0) changed(undefined, claim);
      else if (before?.version === seen) changed(before.claim, claim);
    },
  };
}
