import { judgeDrift } from '../../disruption/judge-drift.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { StaleNodeClaimError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { Ports } from '../../ports/ports.ts';
import { storeClaim } from '../support/store-claim.ts';

/** The rest has its turn the next time: each is a write to the table and two to the cluster. */
const MOST_AT_ONCE = 100;

/**
 * Notes on each claim whether it is still what its pool and its class say, and tells of those that
 * no longer are.
 *
 * @returns the snapshot as it is now
 */
export async function markDrift(
  ports: Pick<Ports, 'nodeClaims' | 'cluster' | 'journal'>,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const marked = new Map(judgeDrift(snapshot).map((claim) => [claim.name, claim]));
  if (marked.size === 0) return snapshot;
  const due = new Set([...marked.keys()].slice(0, MOST_AT_ONCE));
  const versions = await ports.nodeClaims.list();
  const stored = new Set<string>();
  for (const { claim, version } of versions) {
    const judged = due.has(claim.name) ? marked.get(claim.name) : undefined;
    if (judged && (await store(ports, withMarks(claim, judged), version))) stored.add(claim.name);
  }
  await tell(ports, snapshot, marked, stored);
  return { ...snapshot, claims: snapshot.claims.map((claim) => marked.get(claim.name) ?? claim) };
}

/** Only the marks: the rest may have changed since the snapshot. */
function withMarks({ drift: _, ...claim }: NodeClaim, judged: NodeClaim): NodeClaim {
  const { drift, poolHash, poolHashVersion } = judged;
  const { nodeClassHash, nodeClassHashVersion } = judged.launch ?? {};
  return {
    ...claim,
    poolHash,
    ...(poolHashVersion !== undefined && { poolHashVersion }),
    ...(drift && { drift }),
    ...(claim.launch && {
      launch: {
        ...claim.launch,
        ...(nodeClassHash !== undefined && { nodeClassHash }),
        ...(nodeClassHashVersion !== undefined && { nodeClassHashVersion }),
      },
    }),
  };
}

/** @returns false, if somebody else wrote the claim meanwhile: it is judged again next time */
async function store(
  ports: Pick<Ports, 'nodeClaims' | 'cluster'>,
  claim: NodeClaim,
  version: number,
): Promise<boolean> {
  try {
    await storeClaim(ports, claim, version);
    return true;
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError)) throw error;
    return false;
  }
}

async function tell(
  { journal }: Pick<Ports, 'journal'>,
  { claims: before, takenAt: at }: ClusterSnapshot,
  marked: ReadonlyMap<string, NodeClaim>,
  stored: ReadonlySet<string>,
): Promise<void> {
  for (const { name, drift: old } of before) {
    const drift = marked.get(name)?.drift;
    if (!drift || !stored.has(name) || drift.reason === old?.reason) continue;
    const { reason, text } = drift;
    await journal.happened({ kind: 'drifted', at, claim: name, reason, text });
  }
}
