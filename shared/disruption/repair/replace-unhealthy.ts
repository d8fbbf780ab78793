import type { DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import { isReplacingFirst, mayReboot } from '../../model/settings.ts';
import type { ExistingNode } from '../../scheduling/input/existing-nodes.ts';
import { listStaticPools } from '../../scheduling/static-claims.ts';
import { type DisruptionInput, listLeavingClaims, toCandidate, toStaysVerdict } from '../candidates.ts';
import { createConsolidationState } from '../consolidation/consolidation-state.ts';
import { planReplacement } from '../plan-replacement.ts';
import { beginStaticReplacements } from '../static-replacements.ts';
import { terminateFirst } from '../terminate-first.ts';
import { planRepair } from './plan-repair.ts';

/**
 * Plans the repair of the next unhealthy node. Where a reboot ends the fault, and the gate is on, it is rebooted
 * in place; else its pods get room first, and then it is drained, within the time that the condition allows.
 *
 * @see Karpenter, repair as a disruption method
 */
export function replaceUnhealthyNode(input: DisruptionInput): DisruptionPlan {
  const { problem, busy, decision } = input;
  const { snapshot } = problem;
  if (!isReplacingFirst(snapshot.settings)) return { verdicts: [] };
  const { repairs, blocked, waiting } = planRepair(snapshot.claims, snapshot, snapshot.takenAt, {
    busy,
    mayReboot: mayReboot(snapshot.settings),
  });
  if (repairs.length === 0) return { verdicts: [] };

  const unhealthy = new Set([...repairs, ...blocked, ...waiting].map(({ claim }) => claim.name));
  const isLasting = ({ claim }: ExistingNode): boolean =>
    claim === undefined || (claim.drift === undefined && !unhealthy.has(claim.name));
  const nodeOf = new Map(problem.existingNodes.map((node) => [node.claim?.name, node]));
  const staticPools = new Map(listStaticPools(snapshot).map((pool) => [pool.name, pool]));
  const state = createConsolidationState(problem, listLeavingClaims(input));
  const verdicts: NodeVerdict[] = [];
  for (const { claim, trouble, drainMs, action } of repairs) {
    const { condition, status, since, reason: fault } = trouble;
    const about = { reason: 'Unhealthy', repair: { condition, status, since, drainMs } } as const;
    if (action === 'reboot') {
      const repair = { ...about.repair, reboots: true, ...(fault !== undefined && { fault }) } as const;
      const nothing = { replacements: [], placements: [], savingHourlyUsd: 0 } as const;
      return {
        command: { id: decision, decidedAt: snapshot.takenAt, ...about, candidates: [claim.name], ...nothing, repair },
        verdicts,
      };
    }
    const existingNode = nodeOf.get(claim.name);
    const candidate = existingNode && toCandidate(existingNode, input);
    if (!candidate) continue;
    const goes = { code: 'unhealthy', fields: { condition, status } } as const;
    const pool = staticPools.get(candidate.pool.name);
    if (pool) {
      const replacements = beginStaticReplacements(input);
      const refusal = replacements.tryBegin(candidate, pool, about);
      const [command] = replacements.begun;
      if (command) return { command, verdicts: [...verdicts, { claim: claim.name, outcome: 'goes', reason: goes }] };
      if (refusal) verdicts.push(toStaysVerdict(candidate, refusal));
      continue;
    }
    const replacement = { ...about, decision, goes, isLasting };
    const first = planReplacement(candidate, state, { ...replacement, next: [] });
    const { command, verdict } = terminateFirst(first, candidate, input, replacement);
    verdicts.push(verdict);
    if (command) return { command, verdicts };
  }
  return { verdicts };
}
