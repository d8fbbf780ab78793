import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../../shared/controllers/dispatch.ts';
import { createObjectMetrics } from '../../../../shared/controllers/metrics/objects/object-metrics.ts';
import { MINUTE_MS } from '../../../../shared/model/time.ts';
import { aWorld, runFor } from '../../../simulation/support.ts';
import { aDeployment, aNodePool } from '../../../support/builders.ts';
import { memoryTelemetry } from '../../../support/memory-telemetry.ts';

describe('the metrics of objects in a simulated cluster', () => {
  it('follow its pods from their creation to the removal of their nodes', async () => {
    const telemetry = memoryTelemetry();
    const disruption = { ...aNodePool().disruption, consolidateAfterMs: MINUTE_MS };
    const world = aWorld({
      pools: [aNodePool({ disruption })],
      workloads: [aDeployment({ replicas: 3 })],
    });
    const metrics = createObjectMetrics(telemetry, world.ports.clock);
    const ports = metrics.instrument(world.ports);
    world.consume((hint) => dispatch(ports, hint));
    const read = (key: string) => telemetry.series.get(key) ?? 0;
    const countSeries = (name: string) =>
      [...telemetry.series.keys()].filter((key) => key.startsWith(`${name}{`)).length;

    await runFor(world, 10 * MINUTE_MS);
    metrics.gauge();
    expect(countSeries('karpenter_pods_state')).toBe(3);
    const nodes = countSeries('karpenter_nodes_current_lifetime_seconds');
    expect(nodes).toBeGreaterThan(0);
    expect(countSeries('karpenter_pods_unstarted_time_seconds')).toBe(0);
    const startup = read('karpenter_pods_startup_duration_seconds{}');
    expect(startup).toBeGreaterThan(3);
    expect(read('karpenter_pods_provisioning_startup_duration_seconds{}')).toBeLessThan(startup);
    expect(read('karpenter_nodepools_allowed_disruptions{nodepool=general,reason=empty}')).toBe(1);
    expect(read('karpenter_voluntary_disruption_eligible_nodes{reason=underutilized}')).toBe(nodes);

    world.userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 0);
    await runFor(world, 60 * MINUTE_MS);
    metrics.gauge();
    expect(countSeries('karpenter_pods_state')).toBe(0);
    expect(countSeries('karpenter_nodes_allocatable')).toBe(0);
    expect(countSeries('operator_nodeclaim_status_condition_count')).toBe(0);
    expect(countSeries('operator_nodeclaim_termination_duration_seconds')).toBe(1);
  });
});
