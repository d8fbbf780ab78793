import type { Reason } from '../model/explanations/reasons.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { DisruptionCommand, PlannedClaim } from '../model/plans.ts';
import { NODES } from '../model/resources.ts';
import { createStaticReplacer, type StaticPool } from '../scheduling/static-claims.ts';
import { type Candidate, type DisruptionInput, mayTerminateFirst } from './candidates.ts';
import { createCommandId } from './commands-of-decision.ts';
import { findOwnReservation } from './terminate-first.ts';

/** Replacements of nodes of static pools that one decision begins. */
export interface StaticReplacements {
  readonly begun: readonly DisruptionCommand[];
  /**
   * Begins the replacement of a node by one from the template of its pool, whatever runs on it. Pods get no
   * placement, so that the replacements do not depend on each other.
   *
   * With a gate for it, a node goes before its replacement is launched, if its pool is at its limit or launches in
   * its full reservation only.
   *
   * @returns why the node stays for now, or `undefined`
   */
  tryBegin(
    candidate: Candidate,
    pool: StaticPool,
    about: Pick<DisruptionCommand, 'reason' | 'repair'>,
  ): Reason | undefined;
}

export function beginStaticReplacements({ problem, snapshot, busy, decision }: DisruptionInput): StaticReplacements {
  const begun: DisruptionCommand[] = [];
  const nextReplacement = createStaticReplacer(problem);
  const sizes = countNodes(problem.snapshot.claims, busy);
  return {
    begun,
    tryBegin(candidate, pool, about) {
      const mayGoFirst = mayTerminateFirst(about.reason, snapshot);
      const refusal = findSizeRefusal(pool, begun, sizes.get(pool.name));
      const isAtLimit = refusal?.code === 'static-at-limit';
      if (refusal && !(isAtLimit && mayGoFirst)) return refusal;
      const id = createCommandId(decision, begun.length);
      const next = nextReplacement(pool, id);
      const { claim, hourlyUsd } = candidate;
      const goesFirst = isAtLimit || ('why' in next && mayGoFirst && findOwnReservation(claim, snapshot) !== undefined);
      if ('why' in next && !goesFirst) {
        return { code: 'static-without-replacement', fields: { pool: pool.name, why: next.why } };
      }
      const replacements = 'why' in next || goesFirst ? [] : [next.replacement];
      begun.push({
        id,
        ...about,
        ...(goesFirst && { terminatesFirst: true }),
        decidedAt: problem.snapshot.takenAt,
        candidates: [claim.name],
        replacements,
        placements: [],
        savingHourlyUsd: goesFirst ? 0 : hourlyUsd - (replacements[0]?.cheapest.hourlyUsd ?? 0),
      });
      return undefined;
    },
  };
}

/** The nodes of a pool before this decision. */
interface PoolSize {
  readonly all: number;
  /** A node under replacement counts once, together with its replacement. */
  readonly staying: number;
}

function countNodes(claims: readonly NodeClaim[], busy: ReadonlySet<string>): ReadonlyMap<string, PoolSize> {
  const isStaying = ({ name, deletingAt }: NodeClaim): boolean => deletingAt === undefined && !busy.has(name);
  const byPool = Map.groupBy(claims, ({ pool }) => pool);
  return new Map([...byPool].map(([pool, own]) => [pool, { all: own.length, staying: own.filter(isStaying).length }]));
}

/**
 * During a replacement the pool has one node more: its limit must allow that, and the pool must not
 * be oversized.
 */
function findSizeRefusal(
  { name, replicas, limits }: StaticPool,
  begun: readonly DisruptionCommand[],
  { all, staying }: PoolSize = { all: 0, staying: 0 },
): Reason | undefined {
  const isOfPool = ({ claim }: PlannedClaim): boolean => claim.pool === name;
  const added = begun.filter(({ replacements }) => replacements.some(isOfPool)).length;
  const limit = limits[NODES] ?? Infinity;
  if (all + added >= limit) return { code: 'static-at-limit', fields: { pool: name, limit: `${limit}` } };
  if (staying <= replicas) return undefined;
  return { code: 'static-too-large', fields: { pool: name, nodes: `${staying}`, replicas: `${replicas}` } };
}
