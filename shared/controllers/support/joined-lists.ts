import type { NodeClaims, Stored } from '../../ports/records.ts';

/** The same records, whose lists are one where they are asked for while one is under way. */
export function joinedLists(nodeClaims: NodeClaims): NodeClaims {
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
