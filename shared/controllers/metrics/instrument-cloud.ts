import { zoneOf } from '../../model/offerings/zones.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Cloud, LaunchResult } from '../../ports/cloud.ts';
import type { Ports, Telemetry } from '../../ports/ports.ts';
import type { OfferingMetrics } from './offering-metrics.ts';

interface CloudMetrics {
  readonly offeringMetrics: OfferingMetrics;
  /** By zone name, for zones that were observed. */
  readonly zoneIds: ReadonlyMap<string, string>;
}

/** Wraps the Cloud port with metrics of calls, durations and failures. */
export function instrumentCloud(
  { cloud, clock }: Pick<Ports, 'cloud' | 'clock'>,
  telemetry: Telemetry,
  { offeringMetrics, zoneIds }: CloudMetrics,
): Cloud {
  async function timed<T>(method: string, call: () => Promise<T>): Promise<T> {
    const began = clock.now();
    try {
      return await call();
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      telemetry.count('karpenter_cloudprovider_errors_total', { method, error: name });
      throw error;
    } finally {
      const took = (clock.now() - began) / SECOND_MS;
      telemetry.observe('karpenter_cloudprovider_duration_seconds', { method }, took);
    }
  }
  const countFailures = ({ failures = [] }: LaunchResult): void => {
    for (const { zone, zoneId, capacityType, reason } of failures) {
      const labels = { zone, zone_id: zoneId, capacity_type: capacityType, reason };
      telemetry.count('karpenter_cloudprovider_instance_launch_failures_total', labels);
    }
  };
  async function terminate(providerId: string): Promise<void> {
    try {
      await timed('Delete', () => cloud.terminate(providerId));
    } catch (error) {
      const zone = zoneOf(providerId) ?? '';
      const labels = { zone, zone_id: zoneIds.get(zone) ?? '' };
      telemetry.count('karpenter_cloudprovider_instance_termination_failures_total', labels);
      throw error;
    }
  }

  return {
    async catalogue(...of) {
      const catalogue = await timed('GetInstanceTypes', () => cloud.catalogue(...of));
      offeringMetrics.recordCatalogue(catalogue);
      return catalogue;
    },
    instances: () => timed('List', () => cloud.instances()),
    findInstances: (providerIds) => timed('List', () => cloud.findInstances(providerIds)),
    instance: (providerId) => timed('Get', () => cloud.instance(providerId)),
    impairments: () => timed('InstanceStatus', () => cloud.impairments()),
    nameInstance: (providerId, names) => cloud.nameInstance(providerId, names),
    terminate,
    reboot: (providerId) => timed('Reboot', () => cloud.reboot(providerId)),
    async launch(request) {
      const answer = await timed('Create', () => cloud.launch(request));
      countFailures(answer);
      if (answer.refusal) {
        const labels = { method: 'Create', error: answer.refusal.name };
        telemetry.count('karpenter_cloudprovider_errors_total', labels);
      }
      return answer;
    },
  };
}
