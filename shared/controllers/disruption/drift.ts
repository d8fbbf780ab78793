import { computeClassHash } from '../../api/stored-objects/static-drift.ts';
import { markDriftedClaims } from '../../disruption/drift/mark-drift.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClassState, StoppedRollout } from '../../model/nodes/drift.ts';
import { type NodeClaim, withPoolSettings } from '../../model/nodes/node-claim.ts';
import type { ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { Ports } from '../../ports/ports.ts';
import { storeClaim, writeUnlessStale } from '../support/claim-writes.ts';

export type DriftPorts = Pick<Ports, 'nodeClasses' | 'rollouts' | 'poolBackoffs'>;

export type DriftFacts = Required<Pick<ClusterSnapshot, 'nodeClasses' | 'driftRests'>>;

/**
 * Adds to a snapshot what decisions about drift need: the state of the node classes, and the pools that
 * back off.
 */
export async function withDriftFacts<T extends object>(
  { nodeClasses, rollouts, poolBackoffs }: DriftPorts,
  snapshot: T,
): Promise<T & DriftFacts> {
  const [classes, stopped, backoffs] = await Promise.all([
    nodeClasses.list(),
    rollouts.list(),
    poolBackoffs.list('drift'),
  ]);
  return {
    ...snapshot,
    nodeClasses: classes.flatMap((resolved) => toNodeClassState(resolved, stopped) ?? []),
    driftRests: Object.fromEntries(backoffs.map(({ pool, until }) => [pool, until])),
  };
}

/**
 * @returns undefined if this release cannot compute the hash of the class
 */
export function toNodeClassState(
  resolved: ResolvedNodeClass,
  stopped: readonly StoppedRollout[],
): NodeClassState | undefined {
  const { name, subnets, securityGroups, images, reservations, placementGroup } = resolved;
  const marks = computeClassHash(name, resolved.written, resolved.cluster.certificateAuthority);
  if (!marks) return undefined;
  const stoppedRollout = stopped.find(({ nodeClass }) => nodeClass === name);
  return {
    name,
    hash: marks.hash,
    subnets,
    securityGroups,
    images,
    ...(reservations && { reservations }),
    ...(placementGroup && { placementGroup }),
    ...(stoppedRollout && { stopped: stoppedRollout }),
  };
}

/**
 * Limits the writes per run: each is one to the table and two to the cluster. The next run does the
 * remaining ones.
 */
const MAX_WRITES = 100;

/**
 * Records on each claim whether it still matches its pool and its class, and reports claims that
 * have drifted.
 *
 * @returns the snapshot with the new marks
 */
export async function markDrift<T extends ClusterSnapshot>(
  ports: Pick<Ports, 'nodeClaims' | 'cluster' | 'decisionLog'>,
  snapshot: T,
): Promise<T> {
  const marked = new Map(markDriftedClaims(snapshot).map((claim) => [claim.name, claim]));
  if (marked.size === 0) return snapshot;
  const due = new Set([...marked.keys()].slice(0, MAX_WRITES));
  const { records } = await ports.nodeClaims.list({ isEventual: true });
  const stored = new Set<string>();
  for (const { claim, version } of records) {
    const source = due.has(claim.name) ? marked.get(claim.name) : undefined;
    if (source && (await writeUnlessStale(() => storeClaim(ports, withMarks(claim, source), version))))
      stored.add(claim.name);
  }
  await reportDrift(ports, snapshot, marked, stored);
  return { ...snapshot, claims: snapshot.claims.map((claim) => marked.get(claim.name) ?? claim) };
}

/** Copies only the marks: the other fields may have changed since the snapshot. */
function withMarks({ drift: _, ...stored }: NodeClaim, source: NodeClaim): NodeClaim {
  const claim = withPoolSettings(stored, source);
  const { drift, poolHash, poolHashVersion } = source;
  const { nodeClassHash, nodeClassHashVersion } = source.launch ?? {};
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

async function reportDrift(
  { decisionLog }: Pick<Ports, 'decisionLog'>,
  { claims: before, takenAt: at }: ClusterSnapshot,
  marked: ReadonlyMap<string, NodeClaim>,
  stored: ReadonlySet<string>,
): Promise<void> {
  for (const { name, drift: previousDrift } of before) {
    const drift = marked.get(name)?.drift;
    if (!drift || !stored.has(name) || drift.reason === previousDrift?.reason) continue;
    const { reason, text } = drift;
    await decisionLog.recordEvent({ kind: 'drifted', at, claim: name, reason, text });
  }
}
