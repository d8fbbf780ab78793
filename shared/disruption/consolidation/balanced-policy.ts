import type { Reason } from '../../model/explanations/reasons.ts';
import { findHourlyUsd } from '../../scheduling/removal/node-usage-and-price.ts';
import type { Candidate, DisruptionInput } from '../candidates.ts';
import { computeDisruptionCost } from '../disruption-cost.ts';

/** Minimum ratio of savings to disruption, both as shares of the pool's totals. */
const MIN_SCORE = 1 / 2;

/** Hourly cost of a pool, and the disruption cost of all its nodes. */
interface PoolTotals {
  hourlyUsd: number;
  disruption: number;
}

export type TotalsByPool = ReadonlyMap<string, PoolTotals>;

/** Sums over every node of each pool, candidates or not. */
export function computePoolTotals({ problem }: Pick<DisruptionInput, 'problem'>): TotalsByPool {
  const totals = new Map<string, PoolTotals>();
  for (const existingNode of problem.existingNodes) {
    const { claim } = existingNode;
    if (!claim || !existingNode.node) continue;
    const pool = totals.get(claim.pool) ?? { hourlyUsd: 0, disruption: 0 };
    pool.hourlyUsd += findHourlyUsd(claim, problem);
    pool.disruption += computeDisruptionCost(existingNode);
    totals.set(claim.pool, pool);
  }
  return totals;
}

/**
 * Computes the saved share of the pool's cost divided by the disrupted share of its pods; 1 is
 * proportional.
 *
 * @returns 0 if nothing is saved or the pool's totals are 0
 */
export function computeBalancedScore(savingUsd: number, disruption: number, totals: PoolTotals | undefined): number {
  if (!(savingUsd > 0) || !totals) return 0;
  if (!(totals.hourlyUsd > 0) || !(totals.disruption > 0)) return 0;
  if (disruption <= 0) return Number.POSITIVE_INFINITY;
  return savingUsd / totals.hourlyUsd / (disruption / totals.disruption);
}

/**
 * Returns why a move is not worth its disruption to a pool with the policy Balanced. The saving is
 * divided among pools in proportion to what their nodes cost now.
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
    const disruption = own.reduce((sum, candidate) => sum + candidate.disruptionCost, 0);
    const score = computeBalancedScore(savingUsd * share, disruption, totals.get(name));
    if (score >= MIN_SCORE) continue;
    const fields = { pool: name, score: score.toFixed(2), threshold: MIN_SCORE.toFixed(2) };
    return { code: 'not-worth-disruption', fields };
  }
  return undefined;
}
