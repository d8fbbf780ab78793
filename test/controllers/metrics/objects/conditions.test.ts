import { describe, expect, it } from 'vitest';
import { recordClaimTransitions } from '../../../../shared/controllers/metrics/objects/object-metrics.ts';
import { createPoolAndClassConditions } from '../../../../shared/controllers/metrics/objects/pool-and-class-conditions.ts';
import type { NodePoolStatus } from '../../../../shared/model/nodes/reported-status.ts';
import type { NodeClassObject } from '../../../../shared/ports/node-classes.ts';
import { aLaunch, aNode, aNodeClaim, aNodePool, NOON } from '../../../support/builders.ts';
import { memoryTelemetry } from '../../../support/memory-telemetry.ts';
import { observedPorts } from './observed-ports.ts';

const aStatus = (status: 'True' | 'False', reason: string): NodePoolStatus => ({
  pool: 'general',
  uid: 'pool-general',
  hash: 'hash',
  resources: {},
  nodes: 0,
  conditions: [{ type: 'Ready', status, reason, message: '' }],
});

describe('the metrics of conditions', () => {
  it('show the conditions that were written on a NodePool, and count their changes', async () => {
    const telemetry = memoryTelemetry();
    const { observe, scrape, ports } = observedPorts(telemetry);
    const read = (rest: string) => telemetry.series.get(`operator_nodepool_status_condition_${rest}`);

    await observe(0, { pools: [aNodePool()] });
    await ports.cluster.reportNodePool(aStatus('True', 'Ready'));
    await observe(60, { pools: [aNodePool()] });
    await ports.cluster.reportNodePool(aStatus('False', 'NodeClassNotReady'));
    scrape(90);

    const labels = 'type=Ready,status=False,reason=NodeClassNotReady';
    expect(read(`count{name=general,${labels}}`)).toBe(1);
    expect(read('count{name=general,type=Ready,status=True,reason=Ready}')).toBeUndefined();
    expect(read(`current_status_seconds{name=general,${labels}}`)).toBe(30);
    expect(read(`transitions_total{${labels}}`)).toBe(1);
    expect(read('transition_seconds{type=Ready,status=True,to_status=False}')).toBe(60);

    await observe(120, {});
    scrape(120);
    expect(read(`count{name=general,${labels}}`)).toBeUndefined();
  });

  it('show how long the rollout of a NodePool takes, until it is complete', async () => {
    const telemetry = memoryTelemetry();
    const { observe, scrape, ports } = observedPorts(telemetry);
    const read = (rest: string) => telemetry.series.get(`mortise_nodepools_rollout_${rest}{nodepool=general}`);
    const status = aStatus('True', 'Ready');

    await observe(0, { pools: [aNodePool()] });
    await ports.cluster.reportNodePool({
      ...status,
      rollout: { remaining: 3, remainingMs: 90_000 },
    });
    scrape(1);
    expect([read('nodes'), read('remaining_seconds')]).toEqual([3, 90]);

    await ports.cluster.reportNodePool({ ...status, rollout: { remaining: 3 } });
    scrape(2);
    expect([read('nodes'), read('remaining_seconds')]).toEqual([3, undefined]);

    await ports.cluster.reportNodePool(status);
    scrape(3);
    expect(read('nodes')).toBeUndefined();
  });

  it('measure how long a Node was not ready, and how long its deletion took', async () => {
    const telemetry = memoryTelemetry();
    const { observe, scrape } = observedPorts(telemetry);
    const labels = 'karpenter_sh_nodepool=general,karpenter_k8s_aws_ec2nodeclass=,karpenter_sh_initialized=true';
    const read = (rest: string) => telemetry.series.get(rest);
    const unready = { condition: 'Ready', status: 'Unknown' as const, since: NOON + 40_000 };

    await observe(0, { nodes: [aNode()] });
    await observe(60, { nodes: [aNode({ ready: false, troubles: [unready] })] });
    const gone = aNode({ ready: false, troubles: [unready], deletionAt: NOON + 70_000 });
    await observe(75, { nodes: [gone] });
    scrape(80);
    expect(
      read(
        `operator_node_status_condition_current_status_seconds{name=node-1,type=Ready,status=Unknown,reason=,${labels}}`,
      ),
    ).toBe(40);
    expect(read(`operator_node_status_condition_transitions_total{type=Ready,status=Unknown,reason=,${labels}}`)).toBe(
      1,
    );
    expect(
      read(`operator_node_status_condition_transition_seconds{type=Ready,status=True,to_status=Unknown,${labels}}`),
    ).toBe(40);
    expect(read(`operator_node_termination_current_time_seconds{name=node-1,${labels}}`)).toBe(10);

    await observe(100, {});
    scrape(100);
    expect(read(`operator_node_termination_current_time_seconds{name=node-1,${labels}}`)).toBeUndefined();
    expect(read(`operator_node_termination_duration_seconds{${labels}}`)).toBe(30);
    expect(read('karpenter_nodes_termination_duration_seconds{nodepool=general}')).toBe(30);
  });

  it('show the conditions of an EC2NodeClass, and count their changes', () => {
    const telemetry = memoryTelemetry();
    const conditions = createPoolAndClassConditions(telemetry);
    const aClass = (status: 'True' | 'False', seconds: number): NodeClassObject => ({
      ...{ name: 'default', uid: 'u-1', generation: 1, resourceVersion: '1' },
      ...{ annotations: {}, finalizers: [], isDeleting: false },
      spec: { outcome: 'unreadable', why: '' },
      conditions: [{ type: 'SubnetsReady', status, reason: 'SubnetsReady', since: NOON + seconds * 1000 }],
    });
    const read = (rest: string) => telemetry.series.get(`operator_ec2nodeclass_status_condition_${rest}`);

    conditions.observeClasses([aClass('False', 10)], NOON + 20_000);
    conditions.observeClasses([aClass('True', 40)], NOON + 60_000);
    conditions.gauge(NOON + 70_000);

    const labels = 'type=SubnetsReady,status=True,reason=SubnetsReady';
    expect(read(`current_status_seconds{name=default,${labels}}`)).toBe(30);
    expect(read(`transitions_total{${labels}}`)).toBe(1);
    expect(read('transition_seconds{type=SubnetsReady,status=False,to_status=True}')).toBe(30);
  });

  it('count what a write changes on a NodeClaim, and measure its termination', () => {
    const telemetry = memoryTelemetry();
    const launched = aNodeClaim({ launch: aLaunch({ at: NOON + 7_000 }) });
    const deleting = { ...launched, deletingAt: NOON + 10_000 };
    const labels = 'karpenter_sh_nodepool=general,karpenter_k8s_aws_ec2nodeclass=default';
    const read = (rest: string) => telemetry.series.get(`operator_nodeclaim_${rest}`);

    recordClaimTransitions(telemetry, aNodeClaim(), launched);
    recordClaimTransitions(telemetry, launched, deleting);
    recordClaimTransitions(telemetry, deleting, { ...deleting, terminatedAt: NOON + 50_000 });

    const total = (rest: string) => read(`status_condition_transitions_total{${rest},${labels}}`);
    expect(total('type=Launched,status=True,reason=Launched')).toBe(1);
    const changed = 'type=Launched,status=Unknown,to_status=True';
    expect(read(`status_condition_transition_seconds{${changed},${labels}}`)).toBe(7);
    expect(total('type=Registered,status=Unknown,reason=NodeNotFound')).toBeUndefined();
    expect(read(`termination_duration_seconds{${labels}}`)).toBe(40);
  });
});
