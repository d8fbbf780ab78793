import { computeAllowedDisruptions } from '../../../disruption/budgets.ts';
import { countEligibleNodes } from '../../../disruption/eligible-nodes.ts';
import type { Node } from '../../../model/nodes/node.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { DisruptionReason, NodePool } from '../../../model/nodes/node-pool.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { DisruptionInput } from '../../../ports/decision-log.ts';
import type { GaugeSample, Telemetry } from '../../../ports/ports.ts';

const REASONS: readonly DisruptionReason[] = ['Empty', 'Drifted', 'Underutilized', 'Unhealthy'];

interface Pools {
  readonly pools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly claims: readonly NodeClaim[];
}

/** Gauges what the budgets of each NodePool allow, before nodes that are disrupted already. */
export function gaugeAllowedDisruptions(telemetry: Telemetry, { pools, nodes, claims }: Pools, now: EpochMs): void {
  const existing = new Set(nodes.map(({ name }) => name));
  const counted = claims.filter(
    ({ initializedAt, terminatingAt, nodeName = '' }) =>
      initializedAt !== undefined && terminatingAt === undefined && existing.has(nodeName),
  );
  const byPool = Map.groupBy(counted, ({ pool }) => pool);
  telemetry.gauge(
    'karpenter_nodepools_allowed_disruptions',
    pools.flatMap((pool) => {
      const size = byPool.get(pool.name)?.length ?? 0;
      return REASONS.map((reason) => {
        const { nodes: allowed } = computeAllowedDisruptions(pool, reason, size, now);
        return {
          labels: { nodepool: pool.name, reason: reason.toLowerCase() },
          // Without an active budget, all of its nodes may be disrupted.
          value: allowed === Infinity ? size : allowed,
        };
      });
    }),
  );
}

type EligibleSamples = readonly GaugeSample<'karpenter_voluntary_disruption_eligible_nodes'>[];

// A decision is counted once, however often it is scraped.
const counts = new WeakMap<DisruptionInput, EligibleSamples>();

/** Gauges the nodes that the last decision could choose from; no series before the first. */
export function gaugeEligibleNodes(telemetry: Telemetry, input: DisruptionInput | undefined): void {
  const samples = input ? (counts.get(input) ?? countNodes(input)) : [];
  if (input) counts.set(input, samples);
  telemetry.gauge('karpenter_voluntary_disruption_eligible_nodes', samples);
}

function countNodes({ snapshot, running }: DisruptionInput): EligibleSamples {
  const eligible = countEligibleNodes(snapshot, running);
  return REASONS.map((reason) => ({
    labels: { reason: reason.toLowerCase() },
    value: eligible[reason],
  }));
}
