import { describe, expect, it } from 'vitest';
import { stateView } from '../../../console/views/state.ts';
import {
  aLaunch,
  aNode,
  aNodeClaim,
  aNodePool,
  anInitializedClaim,
  aPod,
  aRunningPod,
  NOON,
} from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const totalsOf = (over: Parameters<typeof someFacts>[0]) => stateView(someFacts(over)).totals;

describe('vitals', () => {
  it('count every instance in the cost, starting ones too', () => {
    const claims = [
      anInitializedClaim('ip-1'),
      aNodeClaim({
        name: 'general-2',
        launch: aLaunch({ capacityType: 'spot', hourlyUsd: 0.04 }),
      }),
    ];

    expect(totalsOf({ snapshot: { claims, nodes: [aNode({ name: 'ip-1' })] } })).toMatchObject({
      nodes: { 'on-demand': 1, spot: 1, reserved: 0 },
      startingNodes: 1,
      hourlyUsd: { 'on-demand': 0.1008, spot: 0.04, reserved: 0 },
      monthlyUsd: (0.1008 + 0.04) * 730,
    });
  });

  it("count a node's allocatable resources after it has joined", () => {
    expect(totalsOf({ snapshot: { claims: [aNodeClaim({ launch: aLaunch() })] } })).toMatchObject({
      allocatable: { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 },
    });
  });

  it('contain the longest wait of the pending pods', () => {
    const pods = [aPod(), aPod({ name: 'web-2', unschedulableSince: NOON - 5_000 })];
    expect(totalsOf({ snapshot: { pods: [...pods, aRunningPod('ip-1', { name: 'r' })] } })).toMatchObject({
      runningPods: 1,
      pendingPods: 2,
      oldestPendingSince: NOON - 5_000,
    });
  });

  it('contain median and p99 of the waits', () => {
    const waitsMs = Array.from({ length: 100 }, (_, index) => index * 1_000);
    expect(totalsOf({ waitsMs })).toMatchObject({
      wait: { p50Ms: 50_000, p99Ms: 99_000, pods: 100 },
    });
  });

  it('contain no wait if no pod has run', () => {
    expect(totalsOf({})).not.toHaveProperty('wait');
  });
});

describe('disruptions allowed now', () => {
  const tenClaims = Array.from({ length: 10 }, (_, index) =>
    anInitializedClaim(`ip-${index}`, { name: `general-${index}` }),
  );
  const withBudgets = (nodes: string) =>
    aNodePool({
      disruption: {
        consolidateAfterMs: 0,
        policy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes }],
      },
    });

  it.each([
    ['20%', 2],
    ['3', 3],
    ['0', 0],
    ['100', 10],
  ])('with a budget of %s are %i of ten nodes', (nodes, allowed) => {
    expect(totalsOf({ snapshot: { claims: tenClaims, pools: [withBudgets(nodes)] } }).disruptions).toEqual({
      allowed,
      inProgress: 0,
      text: 'budgets of 1 NodePool',
    });
  });

  it('exclude nodes that are already being removed', () => {
    const claims = tenClaims.map((claim, index) => (index < 2 ? { ...claim, deletingAt: NOON } : claim));
    expect(totalsOf({ snapshot: { claims, pools: [withBudgets('30%')] } }).disruptions).toMatchObject({
      allowed: 1,
      inProgress: 2,
    });
  });
});
