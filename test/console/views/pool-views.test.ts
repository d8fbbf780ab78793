import { describe, expect, it } from 'vitest';
import { poolsView } from '../../../console/views/pool-views.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { aNodePool, anInitializedClaim, NOON } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const firstPool = (over: Parameters<typeof someFacts>[0]) => poolsView(someFacts(over)).pools[0];

describe('a NodePool on its screen', () => {
  it('comes in the order of weights, then of names', () => {
    const pools = [aNodePool({ name: 'b' }), aNodePool({ name: 'a' }), aNodePool({ name: 'heavy', weight: 10 })];
    const { pools: views } = poolsView(someFacts({ snapshot: { pools } }));
    expect(views.map(({ name }) => name)).toEqual(['heavy', 'a', 'b']);
  });

  it('shows what its nodes use of each limit', () => {
    const pools = [aNodePool({ limits: { cpu: 8_000, nodes: 2 } })];
    const claims = [anInitializedClaim('ip-1')];
    expect(firstPool({ snapshot: { pools, claims } })?.limits).toEqual([
      { resource: 'cpu', used: '2', limit: '8', share: 0.25 },
      { resource: 'nodes', used: '1', limit: '2', share: 0.5 },
    ]);
  });

  it('uses nothing of a limit whose name objects inherit', () => {
    const pools = [aNodePool({ limits: { constructor: 2 } })];
    const claims = [anInitializedClaim('ip-1')];
    expect(firstPool({ snapshot: { pools, claims } })?.limits).toEqual([
      { resource: 'constructor', used: '0', limit: '2', share: 0 },
    ]);
  });

  it('writes its requirements as its manifest does', () => {
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['spot'] },
      { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt' as const, values: ['6'] },
    ];
    expect(firstPool({ snapshot: { pools: [aNodePool({ requirements })] } })?.requirements).toEqual([
      'karpenter.sh/capacity-type In [spot]',
      'karpenter.k8s.aws/instance-generation Gt [6]',
    ]);
  });

  it('names drifted nodes with the cause', () => {
    const drift = { reason: 'AMIDrift' as const, text: 'its AMI is not the newest', since: NOON };
    const claims = [anInitializedClaim('ip-1', { name: 'general-1', drift })];
    expect(firstPool({ snapshot: { claims } })?.drifted).toEqual([
      { node: 'general-1', text: 'its AMI is not the newest' },
    ]);
  });

  it('says how long the replacement of drifted nodes takes', () => {
    const drift = { reason: 'AMIDrift' as const, text: 'its AMI is not the newest', since: NOON };
    const claims = [anInitializedClaim('ip-1', { name: 'general-1', drift })];
    expect(firstPool({ snapshot: { claims } })?.rollout).toBe(
      '1 node to replace, 0 up to date, up to 2 nodes at a time; about 5m to go',
    );
    expect(firstPool({})).not.toHaveProperty('rollout');
  });

  it('says whether it is in its hours, and what it keeps on demand', () => {
    const hours = { windows: [{ schedule: '0 8 * * *', durationMs: HOUR_MS }], offHoursNodes: 2 };
    const pool = aNodePool({ hours, onDemandShare: { base: 4, percentAboveBase: 50 } });
    expect(firstPool({ snapshot: { pools: [pool], claims: [] } })).toMatchObject({
      hours: 'off until 2026-01-02T07:55:00Z, at most 2 nodes',
      onDemand: '0 of 0 vCPUs, keeps 4 vCPUs and 50 % of those above',
    });
    expect(firstPool({})).not.toHaveProperty('hours');
  });

  it('lists the offerings without capacity that it could use, and no others', () => {
    const until = NOON + MINUTE_MS;
    const unavailable = [
      { instanceType: 'm7i.large', capacityType: 'spot' as const, until },
      { instanceType: 'p5.48xlarge', until },
      { zone: 'us-east-1a', until: NOON - 1 },
    ];
    expect(firstPool({ snapshot: { unavailable } })?.unavailable).toEqual([{ text: 'm7i.large spot', until }]);
  });

  it('says why it is not ready', () => {
    const notReady = { condition: 'NodeClassNotFound', message: 'There is no EC2NodeClass x.' };
    const pools = [aNodePool({ ready: false, notReady })];
    expect(firstPool({ snapshot: { pools } })?.notReady).toBe('NodeClassNotFound: There is no EC2NodeClass x.');
  });

  it('shows what its budgets allow for each reason', () => {
    expect(firstPool({})?.budgets.map(({ reason, stretches }) => [reason, stretches.length])).toEqual([
      ['Empty', 1],
      ['Underutilized', 1],
      ['Drifted', 1],
      ['Unhealthy', 1],
    ]);
  });
});
