import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { type DecideDisruption, decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { formatEvent } from '../../../shared/model/explanations/event-kinds.ts';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import { METRICS, type MetricName } from '../../../shared/model/metrics/metrics.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Telemetry } from '../../../shared/ports/ports.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { telemetryContract } from '../../contracts/telemetry-contract.ts';
import { aWorld, runFor } from '../../simulation/support.ts';
import { aDeployment, aNodePool, aPod, aPodDisruptionBudget, aPodTemplate, NOON } from '../../support/builders.ts';
import { aFatalPod } from '../../support/fatal-pod.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { ends, hasPlanned } from '../../support/planner-end.ts';
import { command, replacedBy } from '../disruption/disruption-world.ts';
import { addRunning, aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

const REBOOT = { condition: 'Ready', status: 'False', since: NOON, drainMs: 0, reboots: true } as const;

/** Runs once a minute; runs that end the planner are no failure. */
async function runFiveTimes(world: FakeWorld, run: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 5; count += 1) {
    world.now += MINUTE_MS;
    await hasPlanned(run());
  }
}

telemetryContract('simulation', async () => {
  const telemetry = memoryTelemetry();
  return {
    telemetry,
    async total(name) {
      const values = [...telemetry.series].filter(([key]) => key.startsWith(`${name}{`));
      return values.length === 0 ? undefined : values.reduce((sum, [, value]) => sum + value, 0);
    },
  };
});

function aMeasuredWorld(telemetry: Telemetry, ...args: Parameters<typeof aWorld>): SimWorld {
  const world = aWorld(...args);
  const ports = instrumentPorts(world.ports, telemetry);
  world.consume((hint) => dispatch(ports, hint));
  return world;
}

describe('instrumented ports', () => {
  it('record a node that joins, and leaves when it is empty', async () => {
    const telemetry = memoryTelemetry();
    const { series } = telemetry;
    const pool = aNodePool({ disruption: { ...aNodePool().disruption, consolidateAfterMs: 0 } });
    const world = aMeasuredWorld(telemetry, {
      pools: [pool],
      workloads: [aDeployment({ replicas: 3 })],
    });

    await runFor(world, 10 * MINUTE_MS);
    const made = series.get(
      'karpenter_nodeclaims_created_total{reason=provisioned,nodepool=general,min_values_relaxed=false}',
    );
    expect(made).toBeGreaterThan(0);
    expect(series.get('karpenter_cluster_state_node_count{}')).toBe(made);
    expect(series.get('karpenter_nodepools_cost_total{nodepool=general}')).toBeGreaterThan(0);
    expect(series.get('karpenter_scheduler_queue_depth{}')).toBe(0);
    expect(series.get('mortise_nodeclaims_ready_seconds{nodepool=general}')).toBeGreaterThan(0);

    world.userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 0);
    await runFor(world, HOUR_MS);
    const sumOf = (name: MetricName): number =>
      [...series].filter(([key]) => key.startsWith(`${name}{`)).reduce((sum, [, value]) => sum + value, 0);
    expect(sumOf('karpenter_nodeclaims_disrupted_total')).toBe(made);
    expect(sumOf('karpenter_nodeclaims_terminated_total')).toBe(made);
    expect(sumOf('karpenter_nodes_drained_total')).toBe(made);
    expect(series.get('karpenter_cluster_state_node_count{}')).toBe(0);
  });

  it('count the restarts of Deployments whose pods hold up a drain', async () => {
    const telemetry = memoryTelemetry();
    const annotations = { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' };
    const world = aMeasuredWorld(telemetry, {
      pools: [aNodePool({ expireAfterMs: HOUR_MS })],
      workloads: [aDeployment({ replicas: 1, template: aPodTemplate({ annotations }) })],
      podDisruptionBudgets: [aPodDisruptionBudget({ maxUnavailable: '0' })],
    });
    await runFor(world, 100 * MINUTE_MS);

    expect(telemetry.series.get('mortise_deployment_restarts_total{outcome=restarted}')).toBe(1);
  });

  it('count a node whose drain waits for a budget, and report why', async () => {
    const telemetry = memoryTelemetry();
    const stuck = () => telemetry.series.get('mortise_nodeclaims_drain_stuck{}');
    const world = aMeasuredWorld(telemetry, {
      pools: [aNodePool({ expireAfterMs: HOUR_MS })],
      workloads: [aDeployment({ replicas: 1 })],
      podDisruptionBudgets: [aPodDisruptionBudget({ maxUnavailable: '0' })],
    });
    await runFor(world, 100 * MINUTE_MS);

    expect(stuck()).toBe(1);
    const reports = world.events().filter(({ event }) => event.kind === 'drain-stuck');
    expect(reports.map(({ event }) => formatEvent(event))).toEqual([
      expect.stringMatching(
        /^The drain of .* default\/web-.*: PodDisruptionBudget default\/web \(maxUnavailable 0\) never allows an eviction/,
      ),
    ]);
  });

  it('count how often a cap holds nodes back', async () => {
    const telemetry = memoryTelemetry();
    const world = aWorld({ pools: [aNodePool()], workloads: [aDeployment({ replicas: 3 })] });
    const launchCaps = { launchesPerMinute: 0, hourlyUsd: 10_000 };
    const ports = instrumentPorts({ ...world.ports, launchCaps }, telemetry);
    world.consume((hint) => dispatch(ports, hint));

    await runFor(world, 5 * MINUTE_MS);

    const times = telemetry.series.get('mortise_launches_capped_total{cap=launchesPerMinute}');
    expect(times).toBeGreaterThan(0);
  });

  it('gauge the pods on nodes of NodePools', async () => {
    const telemetry = memoryTelemetry();
    const world = aMeasuredWorld(telemetry, {
      pools: [aNodePool()],
      workloads: [aDeployment({ replicas: 3 })],
    });
    await runFor(world, 10 * MINUTE_MS);

    expect(telemetry.series.get('mortise_nodepools_pods{}')).toBe(3);
  });

  it('count a consolidation that was stopped because it would go back', async () => {
    const telemetry = memoryTelemetry();
    const { decisionLog } = instrumentPorts(aWorld({}).ports, telemetry);
    await decisionLog.recordEvent({
      kind: 'move-back-prevented',
      at: 0,
      claim: 'general-1',
      types: ['m5.large'],
    });

    expect(telemetry.series.get('mortise_moves_back_prevented_total{}')).toBe(1);
  });

  it('count plans that did not end, and gauge the pods that are set aside', async () => {
    const telemetry = memoryTelemetry();
    const fatal = aFatalPod(aPod(), ends);
    const world = aFakeWorld({ pods: [fatal] });
    const ports = instrumentPorts(world.ports, telemetry);
    await runFiveTimes(world, () => reconcileProvisioning(ports));

    expect(telemetry.series.get('mortise_plans_unfinished_total{}')).toBe(3);
    expect(telemetry.series.get('mortise_pods_set_aside{}')).toBe(1);
  });

  it('gauge the nodes whose removal is not planned', async () => {
    const telemetry = memoryTelemetry();
    const world = aFakeWorld({ pods: [] });
    await addRunning(world, 'a');
    const ports = instrumentPorts(world.ports, telemetry);
    const decide: DecideDisruption = (input, id) => {
      if (!input.heldBack) return ends();
      return decideDisruption(input, id);
    };
    await runFiveTimes(world, () => reconcileDisruption(ports, decide));

    expect(telemetry.series.get('mortise_plans_unfinished_total{}')).toBe(3);
    expect(telemetry.series.get('mortise_nodes_set_aside{}')).toBe(1);
  });

  it('say that no removal is planned during a pause', async () => {
    const telemetry = memoryTelemetry();
    const world = aFakeWorld({ pods: [] });
    await addRunning(world, 'a');
    const ports = instrumentPorts(world.ports, telemetry);
    const decide: DecideDisruption = (input, id) => {
      if (!input.heldBack?.pause) return ends();
      return decideDisruption(input, id);
    };
    await runFiveTimes(world, () => reconcileDisruption(ports, decide));

    expect(telemetry.series.get('mortise_disruption_paused{}')).toBe(1);
    expect(telemetry.series.get('mortise_nodes_set_aside{}')).toBe(0);
  });

  it.each([
    ['decision=delete,reason=empty,consolidation_type=empty', { reason: 'Empty' }],
    ['decision=delete,reason=underutilized,consolidation_type=single', { reason: 'Underutilized' }],
    ['decision=delete,reason=underutilized,consolidation_type=multi', { candidates: ['a', 'b'] }],
    ['decision=replace,reason=drifted,consolidation_type=', { ...replacedBy('b'), reason: 'Drifted' }],
    ['decision=terminate-first,reason=drifted,consolidation_type=', { reason: 'Drifted', terminatesFirst: true }],
    ['decision=reboot,reason=unhealthy,consolidation_type=', { reason: 'Unhealthy', repair: REBOOT }],
  ] as const)("count commands with Karpenter's labels: %s", async (labels, over) => {
    const telemetry = memoryTelemetry();
    const { decisionLog } = instrumentPorts(aFakeWorld().ports, telemetry);
    await decisionLog.recordDecision({
      kind: 'disruption',
      id: 'd',
      at: NOON,
      tookMs: 1,
      plan: { command: command(over), verdicts: [] },
    });

    expect(telemetry.series.get(`karpenter_voluntary_disruption_decisions_total{${labels}}`)).toBe(1);
  });

  it('gauge how long an unschedulable pod is pending', async () => {
    const telemetry = memoryTelemetry();
    const pod = aPod({ spec: { ...aPod().spec, requests: { cpu: 1_000_000 } } });
    const world = aMeasuredWorld(telemetry, { pods: [pod] });

    await runFor(world, 10 * MINUTE_MS);

    expect(telemetry.series.get('karpenter_scheduler_unschedulable_pods_count{}')).toBe(1);
    expect(telemetry.series.get('mortise_pods_pending_oldest_seconds{}')).toBeGreaterThan(500);
  });

  it.each([
    { pods: 'that only a NodePool in its off hours could serve', counts: false },
    {
      pods: 'that another NodePool could serve',
      others: [aNodePool({ name: 'open' })],
      counts: true,
    },
    {
      pods: 'that tolerate no taint of the other NodePool',
      others: [aNodePool({ name: 'open', taints: [{ key: 'gpu', effect: 'NoSchedule' }] })],
      counts: false,
    },
    { pods: 'that no NodePool could serve', spec: { nodeSelector: { disk: 'ssd' } }, counts: true },
  ])('gauge how long pods are pending $pods: $counts', async ({ others = [], spec, counts }) => {
    const telemetry = memoryTelemetry();
    const hours = { windows: [{ schedule: '0 8 * * *', durationMs: HOUR_MS }], offHoursNodes: 0 };
    const pod = aPod({ spec: { ...aPod().spec, ...spec } });
    const pools = [aNodePool({ hours }), ...others];
    const world = aFakeWorld({
      pods: [{ ...pod, unschedulableSince: NOON - 10 * MINUTE_MS }],
      pools,
    });
    await instrumentPorts(world.ports, telemetry).cluster.observe();

    const seconds = telemetry.series.get('mortise_pods_pending_oldest_seconds{}') ?? 0;
    expect(seconds >= 600).toBe(counts);
  });
});

/** CloudWatch bills each series as a metric. */
function countingSeries(): { readonly telemetry: Telemetry; readonly series: ReadonlySet<string> } {
  const series = new Set<string>();
  const note = (name: MetricName, labels: Readonly<Record<string, string>>): void => {
    const { cloudWatch } = METRICS[name];
    if (cloudWatch === 'none') return;
    series.add(cloudWatch === 'one' ? name : `${name} of ${labels.nodepool}`);
  };
  return {
    series,
    telemetry: {
      count: note,
      observe: note,
      gauge: (name, samples) => {
        for (const { labels } of samples) note(name, labels);
      },
    },
  };
}

describe('the metrics that CloudWatch bills', () => {
  it('are at most 95 series on a day with ten NodePools', async () => {
    const { telemetry, series } = countingSeries();
    const pools = Array.from({ length: 10 }, (_, index) => aNodePool({ name: `pool-${index}` }));
    const world = aMeasuredWorld(
      telemetry,
      { pools, workloads: [aDeployment({ replicas: 20 })] },
      { options: { interruptionsPerHour: 0.2, shortageShare: 0.1 } },
    );
    await runFor(world, 24 * HOUR_MS);
    // A day does not use every pool, so all possible series are counted.
    const all = Object.values(METRICS).reduce(
      (sum, { cloudWatch }) => sum + { one: 1, 'per-pool': 10, none: 0 }[cloudWatch],
      0,
    );

    expect(series.size).toBeGreaterThan(12);
    expect(series.size).toBeLessThanOrEqual(all);
    // Metrics of the functions themselves: messages, failed messages, failed batches.
    expect(all + 20).toBeLessThanOrEqual(95);
  });
});
