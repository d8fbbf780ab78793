import type { Reason } from '../../model/explanations/reasons.ts';
import { findHourlyUsd } from '../../scheduling/simulate-removal.ts';
import { type Candidate, type DisruptionInput, disruptionCost } from '../candidates.ts';

/** A move is worth it from this ratio on of savings to disruption, both as shares of the pool's. */
const MIN_SCORE = 1 / 2;

/** What a pool costs, and what it would disrupt to remove all of it. */
interface PoolTotals {
  hourlyUsd: number;
  disruption: number;
}

export type TotalsByPool = ReadonlyMap<string, PoolTotals>;

/** Over every node of the pools, whether it is a candidate or not. */
export function computePoolTotals({ problem }: Pick<DisruptionInput, 'problem'>): TotalsByPool {
  const totals = new Map<string, PoolTotals>();
  for (const bin of problem.existingNodes) {
    const { claim } = bin;
    if (!claim || !bin.node) continue;
    const pool = totals.get(claim.pool) ?? { hourlyUsd: 0, disruption: 0 };
    pool.hourlyUsd += findHourlyUsd(claim, problem);
    pool.disruption += disruptionCost(bin);
    totals.set(claim.pool, pool);
  }
  return totals;
}

/**
 * How much of its cost a pool saves for each part of its pods that is disturbed; 1 is in proportion.
 *
 * @returns 0 where nothing is saved, or nothing can be compared
 */
export function computeBalancedScore(
  savingUsd: number,
  disruption: number,
  totals: PoolTotals | undefined,
): number {
  if (!(savingUsd > 0) || !totals) return 0;
  if (!(totals.hourlyUsd > 0) || !(totals.disruption > 0)) return 0;
  if (disruption <= 0) return Number.POSITIVE_INFINITY;
  return savingUsd / totals.hourlyUsd / (disruption / totals.disruption);
}

/**
 * Why a move is not worth its disruption to a pool with the policy Balanced. What is saved counts for
 * each pool by its share of what the nodes cost now.
 */
export function findUnfavorableScore(
  candidates: readonly Candidate[],
  savingUsd: number,
  totals: TotalsByPool,
): Reason | undefined {
  const cost = candidates.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);
  const byPool = Map.groupBy(candidates, ({ pool }) => pool.name);
  for (const [name, own] of byPool) {
    if (own[0]?.pool.disruption.policy !== 'Balanced') continue;
    const share = cost > 0 ? own.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0) / cost : 0;
    const disruption = own.reduce((sum, one) => sum + one.disruptionCost, 0);
    const score = computeBalancedScore(savingUsd * share, disruption, totals.get(name));
    if (score >= MIN_SCORE) continue;
    const fields = { pool: name, score: score.toFixed(2), threshold: MIN_SCORE.toFixed(2) };
    return { code: 'not-worth-disruption', fields };
  }
  return undefined;
}
