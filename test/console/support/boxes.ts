import type { NodeWithPods } from '../../../console/page/store/cluster-model.ts';
import type { NodeView, PodView } from '../../../console/views.ts';
import { NOON } from '../../support/builders.ts';

/** A node of 8 vCPU in us-east-1a, all of it allocatable, without pods. */
export const aBox = (name: string, over: Partial<NodeView> = {}, pods: readonly PodView[] = []): NodeWithPods => ({
  node: {
    name,
    pool: 'general',
    instanceType: 'm7g.2xlarge',
    zone: 'us-east-1a',
    capacityType: 'spot',
    hourlyUsd: 0.13,
    vcpu: 8,
    allocatable: { cpuMilli: 8_000, memoryMib: 32_000, gpu: 0, pods: 58 },
    requested: { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 },
    daemon: { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 },
    bornAt: NOON,
    state: 'ready',
    stateSince: NOON,
    holds: [],
    ...over,
  },
  pods,
});

/** A pod that requests 1 CPU and 1,000 MiB. */
export const aTile = (name: string, over: Partial<PodView> = {}): PodView => ({
  key: `shop/${name}`,
  namespace: 'shop',
  name,
  workload: name,
  requests: { cpuMilli: 1_000, memoryMib: 1_000, gpu: 0, pods: 1 },
  state: 'running',
  since: NOON,
  daemon: false,
  ...over,
});
