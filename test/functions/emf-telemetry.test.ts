import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type EmfTelemetry, emfTelemetry } from '../../functions/support/emf-telemetry.ts';
import type { MonitoringLevel } from '../../shared/model/metrics/alarm-metrics.ts';
import { telemetryContract } from '../contracts/telemetry-contract.ts';

const recordSchema = z.looseObject({
  service: z.literal('mortise'),
  cluster: z.literal('shop'),
  nodepool: z.string().optional(),
  _aws: z.object({
    CloudWatchMetrics: z.tuple([
      z.object({
        Namespace: z.literal('Mortise'),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })),
      }),
    ]),
  }),
});

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Mortise');
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Parses the log lines as CloudWatch does. */
function written(telemetry: EmfTelemetry) {
  telemetry.publish();
  return lines.map((line) => recordSchema.parse(JSON.parse(line)));
}

const sum = (value: unknown): number => [value].flat().reduce<number>((total, one) => total + Number(one), 0);

telemetryContract('CloudWatch', async () => {
  const telemetry = emfTelemetry('shop');
  return {
    telemetry,
    async total(name) {
      const values = written(telemetry).flatMap((record) => record[name] ?? []);
      return values.length === 0 ? undefined : sum(values);
    },
  };
});

describe('a metric in the log', () => {
  it('has the cluster as dimension, and the NodePool if its definition says so', () => {
    const telemetry = emfTelemetry('shop');
    const terminated = { nodepool: 'general', capacity_type: 'spot', zone: 'a' };
    telemetry.count('karpenter_nodeclaims_terminated_total', terminated);
    telemetry.observe('karpenter_nodeclaims_termination_duration_seconds', { nodepool: 'a' }, 3);

    const dimensions = written(telemetry).map(({ _aws }) => _aws.CloudWatchMetrics[0].Dimensions);
    expect(dimensions).toEqual([[['service', 'cluster', 'nodepool']], [['service', 'cluster']]]);
  });

  it('carries its unit', () => {
    const telemetry = emfTelemetry('shop');
    telemetry.observe('karpenter_scheduler_scheduling_duration_seconds', {}, 0.2);

    expect(written(telemetry)[0]?._aws.CloudWatchMetrics[0].Metrics).toEqual([
      { Name: 'karpenter_scheduler_scheduling_duration_seconds', Unit: 'Seconds' },
    ]);
  });

  it('is written once; an empty publish writes nothing', () => {
    const telemetry = emfTelemetry('shop');
    telemetry.count('karpenter_pods_drained_total', { reason: 'evicted' });
    written(telemetry);
    written(telemetry);

    expect(lines).toHaveLength(1);
  });

  it('is left out if its definition says so, because CloudWatch bills each series', () => {
    const telemetry = emfTelemetry('shop');
    telemetry.count('karpenter_nodes_drained_total', { nodepool: 'general' });

    expect(written(telemetry)).toEqual([]);
  });
});

describe('the level of monitoring', () => {
  const gauges = {
    mortise_pods_pending_oldest_seconds: 901,
    mortise_nodeclaims_starting_oldest_seconds: 600,
    karpenter_cluster_state_synced: 1,
    karpenter_cluster_state_node_count: 7,
  } as const;
  const publishedAt = (level: MonitoringLevel, synced: number = gauges.karpenter_cluster_state_synced) => {
    const telemetry = emfTelemetry('shop', level);
    for (const [name, value] of Object.entries({
      ...gauges,
      karpenter_cluster_state_synced: synced,
    }))
      telemetry.gauge(name as keyof typeof gauges, [{ labels: {}, value }]);
    telemetry.count('mortise_sweeps_total', {});
    return written(telemetry).flatMap((record) =>
      Object.keys(record).filter((name) => /^(karpenter|mortise)_/.test(name)),
    );
  };

  it('alarms publishes only values that an alarm acts on, and the sign of life', () => {
    expect(publishedAt('alarms')).toEqual(['mortise_pods_pending_oldest_seconds', 'mortise_sweeps_total']);
  });

  it('alarms publishes that the cluster is not synced', () => {
    expect(publishedAt('alarms', 0)).toContain('karpenter_cluster_state_synced');
  });

  it('all publishes everything, and none nothing', () => {
    expect(publishedAt('all')).toHaveLength(5);
    lines.length = 0;
    expect(publishedAt('none')).toEqual([]);
  });
});
