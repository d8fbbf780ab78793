import type { ExplainedFix } from '../explain/explanation.ts';
import { findIndex, listRaisedLimits } from '../explain/patches.ts';
import { parseGoDuration } from '../model/duration.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { toResources } from '../model/quantity.ts';

/** Returns the NodePool with the change; undefined if the fix changes something else. */
export function poolWithFix(
  pool: NodePool,
  { kind, path, to }: Pick<ExplainedFix, 'kind' | 'path' | 'to'>,
): NodePool | undefined {
  const index = findIndex(path);
  const requirement = pool.requirements[index];
  switch (kind) {
    case 'raise-limit': {
      const raised = toResources(listRaisedLimits({ path, to }));
      return { ...pool, limits: { ...pool.limits, ...raised } };
    }
    case 'allow-values': {
      if (!requirement) return undefined;
      const values = to.slice(1, -1).split(', ');
      return { ...pool, requirements: pool.requirements.with(index, { ...requirement, values }) };
    }
    case 'lower-min-values': {
      if (!requirement) return undefined;
      const changed = { ...requirement, minValues: Number(to) };
      return { ...pool, requirements: pool.requirements.with(index, changed) };
    }
    case 'drop-requirement':
      return requirement && { ...pool, requirements: pool.requirements.toSpliced(index, 1) };
    case 'add-label': {
      const at = to.indexOf('=');
      return { ...pool, labels: { ...pool.labels, [to.slice(0, at)]: to.slice(at + 1) } };
    }
    case 'raise-budget': {
      const budget = pool.disruption.budgets[index];
      if (!budget) return undefined;
      const budgets = pool.disruption.budgets.with(index, { ...budget, nodes: to });
      return { ...pool, disruption: { ...pool.disruption, budgets } };
    }
    case 'enable-consolidation': {
      const { consolidateAfterMs: after } = pool.disruption;
      const consolidateAfterMs = after === 'Never' ? (parseGoDuration(to) ?? 0) : after;
      const policy = 'WhenEmptyOrUnderutilized' as const;
      return { ...pool, disruption: { ...pool.disruption, policy, consolidateAfterMs } };
    }
    case 'add-node-pool':
    case 'add-toleration':
    case 'change-class':
    case 'change-pdb':
    case 'correct-class':
    case 'correct-storage-class':
    case 'correct-value':
    case 'create-volume-claim':
    case 'drop-selector':
    case 'lower-min-domains':
    case 'prefer-rule':
    case 'reduce-request':
    case 'remove-annotation':
    case 'rename-label':
    case 'rename-resource':
    case 'wait':
      return undefined;
  }
}
