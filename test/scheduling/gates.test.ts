import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS, type FeatureGateName } from '../../shared/model/settings.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aPodTemplate } from '../support/builders.ts';
import { aCluster, aPool, createOfferings, DEFAULT_TYPES, offering, TYPE, tiny, Z1 } from './support/fixture.ts';

const plain = aCluster({ pods: [tiny('a')] });
const [first] = DEFAULT_TYPES;
const at = (gate: FeatureGateName, isOn: boolean): Partial<ClusterSnapshot> => ({
  settings: { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, [gate]: isOn } },
});
const planned = (cluster: ClusterSnapshot) => planProvisioning(cluster, 'decision-1');

/** The effect of each feature gate. The disruption gates are tested with the disruption planner. */
const FEATURES: readonly (readonly [FeatureGateName, Partial<ClusterSnapshot>])[] = [
  [
    'ReservedCapacity',
    {
      offerings: [
        ...DEFAULT_TYPES.flatMap((type) => createOfferings(type)),
        ...DEFAULT_TYPES.slice(0, 1).map((type) => ({
          ...offering(type, 'reserved' as const, Z1, 1e-6),
          reservation: { id: 'cr-1', kind: 'default' as const, isInterruptible: false, free: 1 },
        })),
      ],
    },
  ],
  [
    'NodeOverlay',
    {
      overlays: [
        {
          name: 'cheap',
          uid: 'cheap',
          generation: 1,
          weight: 0,
          requirements: [{ key: TYPE, operator: 'In', values: [first?.name ?? ''] }],
          price: { kind: 'set', usd: 0.001 },
          capacity: {},
        },
      ],
    },
  ],
  [
    'CapacityBuffer',
    {
      buffers: [
        {
          namespace: 'default',
          name: 'spare',
          uid: 'uid-1',
          generation: 1,
          strategy: 'buffer.x-k8s.io/active-capacity',
          template: aPodTemplate(),
          replicas: 3,
        },
      ],
    },
  ],
  [
    'StaticCapacity',
    {
      pools: [...plain.pools, aPool({ name: 'static', replicas: 2 })],
      instanceTypes: { ...plain.instanceTypes, static: DEFAULT_TYPES },
    },
  ],
];

describe.each(FEATURES)('the feature gate %s', (gate, feature) => {
  it('lets its feature change the plan if it is on', () => {
    expect(planned({ ...plain, ...feature, ...at(gate, true) })).not.toEqual(planned({ ...plain, ...at(gate, true) }));
  });

  it('leaves the plan as if the feature did not exist if it is off', () => {
    expect(planned({ ...plain, ...feature, ...at(gate, false) })).toEqual(planned({ ...plain, ...at(gate, false) }));
  });
});

it('has its default if it is not set', () => {
  for (const [gate, feature] of FEATURES) {
    expect(planned({ ...plain, ...feature })).toEqual(
      planned({ ...plain, ...feature, ...at(gate, DEFAULT_GATES[gate]) }),
    );
  }
});
