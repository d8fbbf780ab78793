import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaims, StoredNodeClaim } from '../../ports/records.ts';

/** Called after each successful write. `before` is undefined for a new claim. */
type ClaimChangeListener = (before: NodeClaim | undefined, after: NodeClaim) => void;

/**
 * Wraps NodeClaims so that each successful write is reported with the claim before and after it:
 * exactly once, because one writer wins each version.
 */
export function withChangeListener(nodeClaims: NodeClaims, onChange: ClaimChangeListener): NodeClaims {
  // A writer has read the claim before, so the newest read is the version that it replaces.
  const lastRead = new Map<string, StoredNodeClaim>();

  const remember = (stored: StoredNodeClaim | undefined): StoredNodeClaim | undefined => {
    if (stored) lastRead.set(stored.claim.name, stored);
    return stored;
  };

  return {
    ...nodeClaims,
    find: async (name) => remember(await nodeClaims.find(name)),
    findByInstance: async (id) => remember(await nodeClaims.findByInstance(id)),
    findByNode: async (node) => remember(await nodeClaims.findByNode(node)),
    async list(options) {
      const all = await nodeClaims.list(options);
      lastRead.clear();
      for (const stored of all.records) lastRead.set(stored.claim.name, stored);
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
