import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { readBundle } from '../../vectors/bundle.ts';
import { caseSchema } from '../../vectors/case-schema.ts';
import { snapshotOf } from '../../vectors/read-case.ts';
import { diversePods, genericPods, preferringPods } from './diverse-pods.ts';
import { ec2Market } from './ec2-market.ts';
import { largeCluster, manyPools, manyWaiting, scarceMarket } from './field.ts';
import { stepMarket } from './step-types.ts';

/** What is decided on, and what the reference made of the same where that was recorded. */
export interface BenchmarkInput {
  readonly name: string;
  readonly snapshot: () => ClusterSnapshot;
  readonly reference?: { readonly hourlyUsd: number; readonly nodes: number };
}

const SIZES = [1, 50, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000] as const;
const GENERIC_SIZES = [1_000, 2_000, 5_000, 10_000] as const;
const PREFERRING = 4_000;

const made = (name: string, snapshot: () => ClusterSnapshot): BenchmarkInput => ({
  name,
  snapshot,
});

/** All inputs; each is the same in every run. */
export const benchmarkInputs = (): readonly BenchmarkInput[] => [
  ...SIZES.map((size) => made(`diverse-${size}`, () => stepMarket({ pods: diversePods(size) }))),
  made(`preferences-respected-${PREFERRING}`, () =>
    stepMarket({ pods: preferringPods(PREFERRING) }),
  ),
  made(`preferences-ignored-${PREFERRING}`, () =>
    stepMarket({
      pods: preferringPods(PREFERRING),
      settings: { ...DEFAULT_SETTINGS, preferencePolicy: 'Ignore' },
    }),
  ),
  ...GENERIC_SIZES.map((size) =>
    made(`generic-ec2-${size}`, () => ec2Market({ pods: genericPods(size) })),
  ),
  made('pools-20-nodes-1060-pods-2170', () => manyPools(1_060, 20, 2_170)),
  made('nodes-5000-running-150000-pods-5000', () => largeCluster(5_000, 30, 5_000)),
  made('waiting-33000', () => manyWaiting(33_000)),
  made('scarce-ec2-2000', () => scarceMarket(2_000)),
  ...recorded(),
];

/** Those of the reference's own shape, and plain ones on EC2 types, with what it made of them. */
function recorded(): BenchmarkInput[] {
  const { cases, catalogs } = readBundle(
    new URL('../data/scheduling.json.gz', import.meta.url),
    caseSchema,
  );
  return cases.map((vector) => ({
    name: vector.name,
    snapshot: () => snapshotOf(vector, catalogs),
    reference: {
      hourlyUsd: vector.expected.stability.totalPrice.min,
      nodes: vector.expected.stability.newNodes.min,
    },
  }));
}
