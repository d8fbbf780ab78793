import { listClaimConditions } from '../../../model/nodes/claim-conditions.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Telemetry } from '../../../ports/ports.ts';
import { toAges, toCounts, toSeconds } from './condition-samples.ts';

/** Gauges the conditions of claims that are not terminated; their times come from the records. */
export function gaugeClaimConditions(telemetry: Telemetry, claims: readonly NodeClaim[], now: EpochMs): void {
  const conditions = claims.flatMap((claim) =>
    listClaimConditions(claim).map((condition) => ({
      condition: { ...condition, name: claim.name },
      labels: toClaimLabels(claim),
    })),
  );
  telemetry.gauge('operator_nodeclaim_status_condition_count', toCounts(conditions));
  telemetry.gauge('operator_nodeclaim_status_condition_current_status_seconds', toAges(conditions, now));
  telemetry.gauge(
    'operator_nodeclaim_termination_current_time_seconds',
    claims.flatMap((claim) =>
      claim.deletingAt === undefined
        ? []
        : [
            {
              labels: { name: claim.name, ...toClaimLabels(claim) },
              value: toSeconds(claim.deletingAt, now),
            },
          ],
    ),
  );
}

/** Counts the conditions that one write changed. Call it after a successful write only. */
export function recordClaimTransitions(telemetry: Telemetry, before: NodeClaim | undefined, after: NodeClaim): void {
  const earlier = new Map((before ? listClaimConditions(before) : []).map(({ type, status }) => [type, status]));
  const labels = toClaimLabels(after);
  for (const { type, status, reason } of listClaimConditions(after)) {
    if (earlier.get(type) === status) continue;
    telemetry.count('operator_nodeclaim_status_condition_transitions_total', {
      ...{ type, status, reason },
      ...labels,
    });
  }
  const { deletingAt, terminatedAt } = after;
  if (before?.terminatedAt !== undefined || terminatedAt === undefined) return;
  if (deletingAt === undefined) return;
  telemetry.observe('operator_nodeclaim_termination_duration_seconds', labels, toSeconds(deletingAt, terminatedAt));
}

const toClaimLabels = ({ pool, nodeClass }: NodeClaim) => ({
  karpenter_sh_nodepool: pool,
  karpenter_k8s_aws_ec2nodeclass: nodeClass.name,
});
