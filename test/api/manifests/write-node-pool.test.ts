import { describe, expect, it } from 'vitest';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { writeNodePool } from '../../../shared/api/manifests/write-node-pool.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { aNodePool } from '../../support/builders.ts';

function readAgain(pool: NodePool): NodePool | undefined {
  const reading = readManifests([{ file: 'pool.yaml', text: writeNodePool(pool) }], ['default']);
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));
  return reading.manifests.pools[0];
}

const RICH = aNodePool({
  uid: 'nodepool-general',
  weight: 10,
  requirements: [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
    { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['3'], minValues: 2 },
  ],
  labels: { team: 'shop' },
  annotations: { note: 'web tier' },
  taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }],
  startupTaints: [{ key: 'agent.example.com/starting', effect: 'NoSchedule' }],
  limits: { cpu: 1_500, memory: 1_000_000_001, nodes: 7 },
  disruption: {
    consolidateAfterMs: 90_000,
    policy: 'WhenEmpty',
    budgets: [
      { nodes: '20%' },
      { nodes: '0', schedule: '0 9 * * mon-fri', durationMs: 28_800_000, reasons: ['Drifted'] },
    ],
  },
  hours: {
    windows: [
      { schedule: 'CRON_TZ=Europe/Berlin 0 8 * * mon-fri', durationMs: 45_000_000 },
      { schedule: '@weekly', durationMs: 3_600_000 },
    ],
    offHoursNodes: 2,
  },
  perNodeHourlyUsd: 0.05,
  onDemandShare: { base: 8, percentAboveBase: 25 },
  expireAfterMs: 604_800_000,
  expiresVoluntarily: true,
  terminationGracePeriodMs: 3_600_000,
  minDrainMs: 90_000,
});

describe('a NodePool that is written as a manifest', () => {
  it('is the same pool when it is read again', () => {
    const { hash: _, ...read } = readAgain(RICH) ?? aNodePool();
    const { hash: __, ...written } = RICH;
    expect(read).toEqual(written);
  });

  it('has the same hash each time, so that its nodes do not drift', () => {
    const read = readAgain(RICH);
    expect(read && readAgain(read)?.hash).toBe(read?.hash);
  });

  it('keeps a pool that never expires and never consolidates', () => {
    const { disruption } = RICH;
    const { expireAfterMs: _, expiresVoluntarily: __, ...rest } = RICH;
    const pool = { ...rest, disruption: { ...disruption, consolidateAfterMs: 'Never' } } as const;
    const { hash: ___, ...read } = readAgain(pool) ?? aNodePool();
    const { hash: ____, ...written } = pool;
    expect(read).toEqual(written);
  });
});
