import { formatFix } from '../../../shared/model/explanations/plan-text.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { Unplaced } from '../../../shared/model/plans.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import type { ExplanationCase } from './explanation-case.ts';

/**
 * The explanation of pending pods: the reasons of each NodePool, of the closest node, then the fix.
 */
export function explain({ cluster, pods }: Pick<ExplanationCase, 'cluster' | 'pods'>): string[] {
  const snapshot = { ...cluster, pods: [...cluster.pods, ...pods] };
  return planProvisioning(snapshot, 'decision-1').unplaced.flatMap(linesOf);
}

const linesOf = ({ pods, pools, nodes, fix }: Unplaced): string[] => [
  `${pods.length} of ${pods[0] ?? ''}`,
  ...pools.flatMap(({ pool, reasons }) => reasons.map((one) => `${pool}: ${formatReason(one)}`)),
  ...nodes.slice(0, 1).map(({ reason }) => `a node: ${withoutNames(formatReason(reason))}`),
  fix ? formatFix(fix) : 'no single change helps',
];

/** Names of new nodes depend on the decision. */
const withoutNames = (text: string): string => text.replaceAll(/general-[a-z0-9]{5}/g, 'general-…');
