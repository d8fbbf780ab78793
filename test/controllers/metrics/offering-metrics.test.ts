import { describe, expect, it } from 'vitest';
import { createOfferingMetrics } from '../../../shared/controllers/metrics/offering-metrics.ts';
import type { UnavailableOffering } from '../../../shared/model/offerings/instance-type.ts';
import { anOffering, aTypeOf, NOON, ZONES } from '../../support/builders.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';

const LARGE = aTypeOf('m7i.large', 2, 8);
const PREFIX = 'karpenter_cloudprovider_instance_type_';

const catalogue = {
  instanceTypes: { a: [LARGE], b: [LARGE] },
  offerings: [anOffering({ hourlyUsd: 0.1 }), anOffering({ hourlyUsd: 0.04, capacityType: 'spot', zone: ZONES[1] })],
};

function recordOfferings(...unavailable: readonly Omit<UnavailableOffering, 'until'>[]) {
  const telemetry = memoryTelemetry();
  const offered = createOfferingMetrics(telemetry);
  offered.recordCatalogue(catalogue);
  offered.recordUnavailable(unavailable.map((part) => ({ ...part, until: NOON })));
  return (name: string): readonly (readonly [string, number])[] =>
    [...telemetry.series].filter(([key]) => key.startsWith(`${PREFIX}${name}{`));
}

describe('the metrics of offerings', () => {
  it('cover all zones, and reserved offerings only if there are any', () => {
    const series = recordOfferings();

    expect(series('offering_available').map(([, value]) => value)).toEqual([1, 1]);
    expect(series('offering_price_estimate').map(([, value]) => value)).toEqual([0.1, 0.04]);
    expect(series('offering_available').map(([key]) => /reserved/.test(key))).toEqual([false, false]);
  });

  it.each<[Omit<UnavailableOffering, 'until'>, readonly number[]]>([
    [{ capacityType: 'spot' }, [1, 0]],
    [{ instanceType: 'm7i.large' }, [0, 0]],
    [{ zone: ZONES[0] }, [0, 1]],
    [{ instanceType: 'm7i.large', zone: ZONES[1], capacityType: 'on-demand' }, [1, 1]],
  ])('show recently unavailable offerings: %j', (part, available) => {
    expect(recordOfferings(part)('offering_available').map(([, value]) => value)).toEqual(available);
  });

  it('show shifted zones until the shift is over', () => {
    const telemetry = memoryTelemetry();
    const offered = createOfferingMetrics(telemetry);
    const shifts = () => [...telemetry.series].filter(([key]) => key.includes('shift'));
    offered.recordUnavailable([{ zone: ZONES[0], until: NOON, isShifted: true }]);
    expect(shifts()).toEqual([[`mortise_zonal_shift_active{zone=${ZONES[0]}}`, 1]]);
    offered.recordUnavailable([{ zone: ZONES[0], until: NOON }]);
    expect(shifts()).toEqual([]);
  });

  it('show each type once, whichever pools share it', () => {
    const series = recordOfferings();

    expect(series('cpu_cores').map(([, value]) => value)).toEqual([2]);
    expect(series('memory_bytes')).toHaveLength(1);
  });

  it('are written again only for a list that is a new object', () => {
    const written: string[] = [];
    const offered = createOfferingMetrics({
      count: () => {},
      observe: () => {},
      gauge: (name) => void written.push(name),
    });
    offered.recordCatalogue(catalogue);
    const first = written.length;
    offered.recordCatalogue(catalogue);
    offered.recordUnavailable([]);
    expect(written).toHaveLength(first);

    offered.recordUnavailable([{ zone: ZONES[0], until: NOON }]);
    offered.recordUnavailable([{ zone: ZONES[0], until: NOON + 1 }]);
    expect(written).toHaveLength(first + 3);
  });
});
