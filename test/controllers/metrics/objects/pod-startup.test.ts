import { describe, expect, it } from 'vitest';
import { createPodStartups } from '../../../../shared/controllers/metrics/objects/pod-startup.ts';
import type { ProvisioningPlan } from '../../../../shared/model/plans.ts';
import type { Pod } from '../../../../shared/model/pods/pod.ts';
import { aPod, aRunningPod, NOON } from '../../../support/builders.ts';
import { memoryTelemetry } from '../../../support/memory-telemetry.ts';

const at = (seconds: number): number => NOON + seconds * 1000;

const aPlan = (over: Partial<ProvisioningPlan>): ProvisioningPlan => ({
  claims: [],
  placements: [],
  unplaced: [],
  hourlyUsd: 0,
  ...over,
});

const PLACED = aPlan({ placements: [{ target: 'node-1', pods: ['default/web-1'] }] });
const REFUSED = aPlan({ unplaced: [{ pods: ['default/web-1'], pools: [], nodes: [] }] });

/** Observes, and gauges at `seconds` if there is no observation. */
function run(steps: readonly (readonly [number, readonly Pod[] | ProvisioningPlan | 'gauge'])[]) {
  const telemetry = memoryTelemetry();
  const startups = createPodStartups(telemetry);
  for (const [seconds, step] of steps) {
    if (step === 'gauge') startups.gauge(at(seconds));
    else if ('claims' in step) startups.recordPlan(step, at(seconds));
    else startups.observe(step, at(seconds));
  }
  return (name: string) => telemetry.series.get(`karpenter_pods_${name}`);
}

const bound = (startedAt?: number): Pod => {
  const { unschedulableSince: _, ...pod } = aPod({ nodeName: 'node-1' });
  return startedAt === undefined ? pod : { ...pod, startedAt: at(startedAt) };
};
const running = (runningAt: number, over: Partial<Pod> = {}): Pod =>
  aRunningPod('node-1', { startedAt: at(40), runningAt: at(runningAt), ...over });

describe('the start of a pod', () => {
  it('is measured from its creation, by the times of the kubelet', () => {
    const read = run([
      [2, [aPod()]],
      [60, [bound(40)]],
      [120, [running(55)]],
      [180, [running(55)]],
    ]);

    expect(read('bound_duration_seconds{dynamic_resources=false}')).toBe(40);
    expect(read('startup_duration_seconds{}')).toBe(55);
  });

  it('is told apart for a pod with device claims, as long as it is not bound', () => {
    const claims = aPod({ spec: { ...aPod().spec, deviceClaims: [{ name: 'gpu', claim: 'gpu' }] } });
    const read = run([
      [2, [claims]],
      [20, 'gauge'],
      [60, [{ ...claims, nodeName: 'n', startedAt: at(40) }]],
    ]);

    const pod = 'name=web-1,namespace=default,dynamic_resources=true';
    expect(read(`unbound_time_seconds{${pod}}`)).toBe(20);
    expect(read('bound_duration_seconds{dynamic_resources=true}')).toBe(40);
  });

  it('is not awaited any longer once the pod is being deleted', () => {
    const read = run([
      [2, [aPod()]],
      [60, [aPod({ deletionAt: at(30) })]],
      [90, 'gauge'],
    ]);

    expect(read('unbound_time_seconds{name=web-1,namespace=default,dynamic_resources=false}')).toBeUndefined();
    expect(read('unstarted_time_seconds{name=web-1,namespace=default}')).toBeUndefined();
  });

  it('is measured from the first plan that had a place for it', () => {
    const read = run([
      [2, [aPod()]],
      [5, REFUSED],
      [10, PLACED],
      [30, PLACED],
      [60, [bound(40)]],
      [120, [running(55)]],
    ]);

    expect(read('scheduling_decision_duration_seconds{}')).toBe(3);
    expect(read('provisioning_bound_duration_seconds{dynamic_resources=false}')).toBe(30);
    expect(read('provisioning_startup_duration_seconds{}')).toBe(45);
  });

  it('has a series for each pod that has not started', () => {
    const pod = 'name=web-1,namespace=default';
    const undecided = run([
      [2, [aPod()]],
      [20, 'gauge'],
    ]);
    expect(undecided(`unbound_time_seconds{${pod},dynamic_resources=false}`)).toBe(20);
    expect(undecided(`unstarted_time_seconds{${pod}}`)).toBe(20);
    expect(undecided(`provisioning_scheduling_undecided_time_seconds{${pod}}`)).toBe(18);
    expect(undecided(`provisioning_unbound_time_seconds{${pod},dynamic_resources=false}`)).toBeUndefined();

    const waiting = run([
      [2, [aPod()]],
      [10, PLACED],
      [45, [bound(40)]],
      [50, 'gauge'],
    ]);
    expect(waiting(`unbound_time_seconds{${pod},dynamic_resources=false}`)).toBeUndefined();
    expect(waiting(`provisioning_unbound_time_seconds{${pod},dynamic_resources=false}`)).toBeUndefined();
    expect(waiting(`provisioning_scheduling_undecided_time_seconds{${pod}}`)).toBeUndefined();
    expect(waiting(`unstarted_time_seconds{${pod}}`)).toBe(50);
    expect(waiting(`provisioning_unstarted_time_seconds{${pod}}`)).toBe(40);
  });

  it.each<[string, Pod[]]>([
    ['is deleted', []],
    ['runs', [running(55)]],
    ['has failed', [aRunningPod('node-1', { phase: 'Failed', ready: false })]],
  ])('has no such series once the pod %s', (_, pods) => {
    const read = run([
      [2, [aPod()]],
      [10, 'gauge'],
      [60, pods],
      [60, 'gauge'],
    ]);

    expect(read('unstarted_time_seconds{name=web-1,namespace=default}')).toBeUndefined();
  });

  it('is measured for a pod that ran before it was observed, if it was created in between', () => {
    const quick = running(65, { createdAt: at(61), startedAt: at(62) });
    const read = run([
      [60, []],
      [120, [quick]],
      [180, [quick]],
    ]);

    expect(read('startup_duration_seconds{}')).toBe(4);
    expect(read('bound_duration_seconds{dynamic_resources=false}')).toBe(1);
  });

  it('is not measured for a pod that ran before the first observation', () => {
    const read = run([
      [60, [running(55)]],
      [120, [running(55)]],
    ]);

    expect(read('startup_duration_seconds{}')).toBeUndefined();
  });
});
