import { HASH_VERSION, migrateHash } from '../../api/stored-objects/static-drift.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Drift, NodeClassState } from '../../model/nodes/drift.ts';
import { type Launch, type NodeClaim, withPoolSettings } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import { findDaemonShortages } from './daemon-shortage.ts';
import { DEFAULT_HASH_VERSION, type DriftBaseline, findDrift } from './find-drift.ts';

/**
 * Returns the claims whose drift mark or hashes have to change, with the new values. Claims that
 * are being deleted or have no pool are skipped.
 */
export function markDriftedClaims(snapshot: ClusterSnapshot): readonly NodeClaim[] {
  const pools = new Map(snapshot.pools.map((pool) => [pool.name, pool]));
  const classes = new Map((snapshot.nodeClasses ?? []).map((one) => [one.name, one]));
  const daemonShortages = findDaemonShortages(snapshot);
  const { instanceTypes, offerings, takenAt: now } = snapshot;
  return snapshot.claims.flatMap((claim) => {
    const pool = pools.get(claim.pool);
    if (!pool || pool.deleting || claim.deletingAt !== undefined) return [];
    const nodeClass = classes.get(claim.nodeClass.name);
    const marked = markClaim(claim, {
      pool,
      ...(nodeClass && { nodeClass }),
      instanceTypes: ownValue(instanceTypes, pool.name) ?? [],
      offerings,
      daemonShortages,
      now,
    });
    return marked === claim ? [] : [marked];
  });
}

/** The snapshot with each claim marked that does not match its pool or class. */
export function withDriftMarks(snapshot: ClusterSnapshot): ClusterSnapshot {
  const marked = new Map(markDriftedClaims(snapshot).map((claim) => [claim.name, claim]));
  const claims = snapshot.claims.map((claim) => marked.get(claim.name) ?? claim);
  return { ...snapshot, claims };
}

function markClaim(claim: NodeClaim, baseline: DriftBaseline): NodeClaim {
  const { pool, nodeClass, now } = baseline;
  const migrated = withPoolSettings(withCurrentHashes(claim, pool, nodeClass), pool);
  const verdict = findDrift(migrated, baseline);
  switch (verdict.outcome) {
    case 'unknown':
      return migrated;
    case 'in-line':
      return migrated.drift ? withoutDrift(migrated) : migrated;
    case 'drifted': {
      const { reason, text } = verdict;
      return withDrift(migrated, { reason, text, since: claim.drift?.since ?? now });
    }
  }
}

function withoutDrift({ drift: _, ...claim }: NodeClaim): NodeClaim {
  return claim;
}

const withDrift = (claim: NodeClaim, drift: Drift): NodeClaim =>
  claim.drift?.reason === drift.reason && claim.drift.text === drift.text ? claim : { ...claim, drift };

/**
 * Replaces hashes of an older version by the current hashes of pool and class, so that a new
 * release or a takeover of a cluster causes no drift. Claims that had drifted stay drifted.
 */
function withCurrentHashes(claim: NodeClaim, pool: NodePool, nodeClass: NodeClassState | undefined): NodeClaim {
  const isDrifted = claim.drift !== undefined;
  const ofPool = migrateHash(
    { hash: pool.hash, version: HASH_VERSION },
    { hash: claim.poolHash, version: claim.poolHashVersion ?? DEFAULT_HASH_VERSION },
    { isDrifted },
  );
  const launch = nodeClass && claim.launch && withClassHash(claim.launch, nodeClass, isDrifted);
  const isCurrent = ofPool.version === (claim.poolHashVersion ?? DEFAULT_HASH_VERSION);
  if (isCurrent && (!launch || launch === claim.launch)) return claim;
  return {
    ...claim,
    poolHash: ofPool.hash ?? claim.poolHash,
    poolHashVersion: HASH_VERSION,
    ...(launch && { launch }),
  };
}

function withClassHash(launch: Launch, { hash }: NodeClassState, isDrifted: boolean): Launch {
  const { nodeClassHash, nodeClassHashVersion } = launch;
  if (nodeClassHashVersion === HASH_VERSION) return launch;
  const marks = migrateHash(
    { hash, version: HASH_VERSION },
    {
      ...(nodeClassHash !== undefined && { hash: nodeClassHash }),
      ...(nodeClassHashVersion !== undefined && { version: nodeClassHashVersion }),
    },
    { isDrifted: isDrifted && nodeClassHash !== undefined },
  );
  return {
    ...launch,
    nodeClassHashVersion: HASH_VERSION,
    ...(marks.hash !== undefined && { nodeClassHash: marks.hash }),
  };
}
