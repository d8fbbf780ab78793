import { describe, expect, it } from 'vitest';
import { reservationMeter } from '../../../console/history/reservation-hours.ts';
import { costView } from '../../../console/views/cost/cost-view.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import {
  aLaunch,
  aNode,
  anInitializedClaim,
  anOffering,
  aPodSpec,
  aRunningPod,
  resources,
} from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const requesting = (cpus: number, memoryGib: number) => aPodSpec({ requests: resources(cpus, memoryGib, { pods: 1 }) });
const half = { capacity: resources(4, 16), allocatable: resources(4, 16, { pods: 29 }) };

/** A spot node at half of its on-demand price, with two pods that request three quarters of it. */
const spotNode = {
  nodes: [aNode({ name: 'ip-1', ...half })],
  claims: [
    anInitializedClaim('ip-1', {
      launch: aLaunch({ capacityType: 'spot', hourlyUsd: 0.08, ...half }),
    }),
  ],
  offerings: [anOffering({ hourlyUsd: 0.16 })],
  pods: [
    aRunningPod('ip-1', { namespace: 'shop', name: 'web', spec: requesting(2, 1) }),
    aRunningPod('ip-1', { namespace: 'ml', name: 'train', spec: requesting(1, 1) }),
  ],
} satisfies Partial<ClusterSnapshot>;
const spotCost = (over: Parameters<typeof someFacts>[0] = {}) =>
  costView(someFacts({ snapshot: spotNode, ...over }), reservationMeter());

describe('cost', () => {
  it('by capacity type compares spot with the on-demand price and names the free room', () => {
    const [row] = spotCost().groups.capacity;
    expect(row).toMatchObject({ name: 'spot', nodes: 1, pods: 2, hourlyUsd: 0.08 });
    expect(row?.onDemandHourlyUsd).toBe(0.16);
    expect(row?.freeHourlyUsd).toBeCloseTo(0.02);
  });

  it('by namespace follows the requests, and free room has its own row', () => {
    const rows = spotCost().groups.namespace.map(({ name, hourlyUsd }) => ({
      name,
      milliUsd: Math.round(hourlyUsd * 1000),
    }));
    expect(rows).toEqual([
      { name: 'shop', milliUsd: 40 },
      { name: 'free room', milliUsd: 20 },
      { name: 'ml', milliUsd: 20 },
    ]);
  });

  it('names the largest spot offering if several nodes have it', () => {
    const second = anInitializedClaim('ip-2', {
      name: 'general-2',
      launch: aLaunch({ capacityType: 'spot', ...half }),
    });
    const nodes = [...spotNode.nodes, aNode({ name: 'ip-2', ...half })];
    const { notes } = spotCost({ snapshot: { ...spotNode, nodes, claims: [...spotNode.claims, second] } });

    expect(spotCost().notes.join(' ')).not.toContain('spot offering');
    expect(notes.at(-1)).toBe(
      'The largest spot offering: 2 of 2 nodes and 2 of 2 pods are on m7i.large spot us-east-1a. EC2 may take back such nodes at once.',
    );
  });

  it.each(['capacity', 'pool', 'namespace', 'workload'] as const)('by %s adds up to the total', (grouping) => {
    const { groups, total } = spotCost();
    const sum = groups[grouping].reduce((usd, row) => usd + row.hourlyUsd, 0);
    expect(sum).toBeCloseTo(total.hourlyUsd);
  });

  it('never counts more than the node if pods request different resources', () => {
    const pods = [
      aRunningPod('ip-1', { namespace: 'cpu', name: 'a', spec: requesting(4, 1) }),
      aRunningPod('ip-1', { namespace: 'memory', name: 'b', spec: requesting(0, 16) }),
    ];
    const rows = spotCost({ snapshot: { ...spotNode, pods } }).groups.namespace;
    expect(rows.map(({ hourlyUsd }) => hourlyUsd)).toEqual([0.04, 0.04, 0]);
  });

  it('saves nothing on a spot node whose on-demand price is unknown, and says so', () => {
    const { total, notes } = spotCost({ snapshot: { ...spotNode, offerings: [] } });
    expect(total.onDemandHourlyUsd).toBe(0.08);
    expect(notes.join(' ')).toMatch(/1 spot node without an on-demand price/);
  });

  it('leaves out nodes of unknown price, and says so', () => {
    const nodes = [...spotNode.nodes, aNode({ name: 'other' })];
    const { total, notes } = spotCost({ snapshot: { ...spotNode, nodes } });
    expect(total.hourlyUsd).toBe(0.08);
    expect(notes.join(' ')).toMatch(/The price of 1 node is unknown/);
  });

  it.each([
    ['playground', true],
    ['live', false],
  ] as const)('in a %s cluster: spot prices are modelled: %s', (source, isModelled) => {
    const { info } = someFacts();
    const { notes } = spotCost({ info: { ...info, source } });
    expect(notes.some((note) => note.includes('Spot prices are modelled'))).toBe(isModelled);
  });
});
