import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { ARCH_LABEL, INSTANCE_TYPE_LABEL, OS_LABEL } from '../../../shared/model/labels.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import { GIB, MIB } from '../../../shared/model/resources.ts';
import { aNodePool, aSnapshot } from '../../support/builders.ts';

const OFFERED = [
  ['test-zone-1', 'spot'],
  ['test-zone-2', 'spot'],
  ['test-zone-1', 'on-demand'],
  ['test-zone-2', 'on-demand'],
  ['test-zone-3', 'on-demand'],
] as const;

/** Types with this many CPUs or more count as large. */
const LARGE_CPUS = 5;

/** USD per hour of one CPU with 2 GiB: 0.1 per CPU and 0.1 per 10^9 bytes. */
const STEP_USD = 0.1 + (0.1 * 2 * GIB) / 1e9;

const createStepType = (cpus: number): InstanceType => {
  const name = `fake-it-${cpus - 1}`;
  const capacity = { cpu: cpus * 1000, memory: 2 * cpus * GIB, pods: 10 * cpus };
  return {
    name,
    labels: {
      [INSTANCE_TYPE_LABEL]: name,
      [ARCH_LABEL]: 'amd64',
      size: cpus < LARGE_CPUS ? 'small' : 'large',
      integer: `${cpus}`,
      ...(cpus < LARGE_CPUS ? {} : { special: 'optional' }),
    },
    choices: { [OS_LABEL]: ['linux', 'windows', 'darwin'] },
    capacity,
    allocatable: { ...capacity, cpu: capacity.cpu - 100, memory: capacity.memory - 10 * MIB },
  };
};

const COUNT = 400;
const TYPES = Array.from({ length: COUNT }, (_, index) => createStepType(index + 1));
const OFFERINGS = TYPES.flatMap(({ name }, index) =>
  OFFERED.map(
    ([zone, capacityType]): Offering => ({
      instanceType: name,
      zone,
      capacityType,
      hourlyUsd: STEP_USD * (index + 1),
    }),
  ),
);

/**
 * 400 artificial types, each larger and more expensive than the one before by the same step, and
 * one NodePool that allows all of them: the catalogue of Karpenter's own scheduling benchmark.
 */
export const createStepSnapshot = (over: Partial<ClusterSnapshot>): ClusterSnapshot =>
  aSnapshot({
    pools: [aNodePool({ name: 'default', limits: { cpu: 10_000_000_000, memory: 10_000_000 * GIB } })],
    instanceTypes: { default: TYPES },
    offerings: OFFERINGS,
    ...over,
  });
