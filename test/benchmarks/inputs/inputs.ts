import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { onFirstUse } from '../../../shared/model/memo.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { type Bundle, readBundle } from '../../vectors/bundle.ts';
import { caseSchema, type Situation, situation } from '../../vectors/case-schema.ts';
import { toSnapshot } from '../../vectors/read-case.ts';
import { createLargeCluster, createManyPools, createManyWaitingPods, createScarceCapacity } from './cluster-inputs.ts';
import {
  createDiversePods,
  createEqualPods,
  createGenericPods,
  createPreferringPods,
  createTemplateCache,
} from './diverse-pods.ts';
import { createEc2Snapshot } from './ec2-snapshot.ts';
import { listKarpenterBenchmark } from './karpenter-benchmark.ts';
import { createStepSnapshot } from './step-snapshot.ts';

/** A benchmark input, with the reference's result if it was recorded. */
export interface BenchmarkInput {
  readonly name: string;
  readonly snapshot: () => ClusterSnapshot;
  readonly reference?: { readonly hourlyUsd: number; readonly nodes: number };
}

const SIZES = [1, 50, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000] as const;
const GENERIC_SIZES = [1_000, 2_000, 5_000, 10_000] as const;
const PREFERRING = 4_000;

const createInput = (name: string, snapshot: () => ClusterSnapshot): BenchmarkInput => ({
  name,
  snapshot,
});

/** Lists all inputs; each is equal in every run. */
export const listBenchmarkInputs = (): readonly BenchmarkInput[] => [
  createInput('single-pod', () => createEc2Snapshot({ pods: createEqualPods(1) })),
  createInput('single-pod-10', () => createEc2Snapshot({ pods: createEqualPods(10) })),
  ...SIZES.map((size) => createInput(`diverse-${size}`, () => createStepSnapshot({ pods: createDiversePods(size) }))),
  createInput(`preferences-respected-${PREFERRING}`, () =>
    createStepSnapshot({ pods: createPreferringPods(PREFERRING) }),
  ),
  createInput(`preferences-ignored-${PREFERRING}`, () =>
    createStepSnapshot({
      pods: createPreferringPods(PREFERRING),
      settings: { ...DEFAULT_SETTINGS, preferencePolicy: 'Ignore' },
    }),
  ),
  ...GENERIC_SIZES.map((size) =>
    createInput(`generic-ec2-${size}`, () => createEc2Snapshot({ pods: createGenericPods(size) })),
  ),
  createInput('pools-20-nodes-1060-pods-2170', () => createManyPools(1_060, 20, 2_170)),
  createInput('nodes-5000-running-150000-pods-5000', () => createLargeCluster(5_000, 30, 5_000)),
  createInput('waiting-33000', () => createManyWaitingPods(33_000)),
  createInput('scarce-ec2-2000', () => createScarceCapacity(2_000)),
  ...listRecordedInputs(),
  ...listShrunkInputs(),
];

/** Lists the sizes of the reference's own benchmark that were not recorded. */
function listShrunkInputs(): readonly BenchmarkInput[] {
  const recorded = new Set(listRecordedInputs().map(({ name }) => name));
  const { cases, catalogs } = listKarpenterBenchmark();
  return cases
    .filter(({ name }) => !recorded.has(name))
    .map((one) => createInput(one.name, createCaseReader(situation.parse(one), catalogs)));
}

/**
 * Lists the inputs of the reference's own benchmark, and plain inputs on EC2 types, with its
 * results.
 */
function listRecordedInputs(): BenchmarkInput[] {
  const { cases, catalogs } = readBundle(new URL('../data/scheduling.json.gz', import.meta.url), caseSchema);
  return cases.map((vector) => ({
    name: vector.name,
    snapshot: createCaseReader(vector, catalogs),
    reference: {
      hourlyUsd: vector.expected.stability.totalPrice.min,
      nodes: vector.expected.stability.newNodes.min,
    },
  }));
}

/**
 * Returns a function that reads a new snapshot of a case. As in a running planner, equal pods share their template,
 * and instance types and prices stay the same objects.
 */
function createCaseReader(one: Situation, catalogs: Bundle<unknown>['catalogs']): () => ClusterSnapshot {
  const first = onFirstUse(() => toSnapshot(one, catalogs));
  return () => {
    const { instanceTypes, offerings } = first();
    const snapshot = toSnapshot(one, catalogs);
    const share = createTemplateCache();
    const pods = snapshot.pods.map((pod) => ({
      ...pod,
      ...share({ labels: pod.labels, annotations: pod.annotations, spec: pod.spec }),
    }));
    return { ...snapshot, pods, instanceTypes, offerings };
  };
}
