import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { hasBit } from '../../../shared/scheduling/data-structures/bitset.ts';
import { createWorkMeter } from '../../../shared/scheduling/data-structures/work-meter.ts';
import { type Problem, prepare } from '../../../shared/scheduling/input/problem.ts';
import { findCheapestChoice, listPoolChoices } from '../../../shared/scheduling/packing/pool-choices.ts';
import { listOptions, listTypesByPrice } from '../../../shared/scheduling/packing/pool-prices.ts';
import { aTypicalPool, createEc2Snapshot } from '../../benchmarks/inputs/ec2-snapshot.ts';
import { aDaemonSet, aPodSpec, aPodTemplate, resources } from '../../support/builders.ts';

const inCategory = (value: string) => ({
  key: 'karpenter.k8s.aws/instance-category',
  operator: 'In' as const,
  values: [value],
});
const onCapacity = (value: string) => ({
  key: 'karpenter.sh/capacity-type',
  operator: 'In' as const,
  values: [value],
});
const BATCH = { key: 'workload', value: 'batch', effect: 'NoSchedule' } as const;
const SLOW = { key: 'slow', value: 'yes', effect: 'PreferNoSchedule' } as const;

const POOLS: readonly NodePool[] = [
  aTypicalPool({ name: 'a' }),
  aTypicalPool({ name: 'b' }),
  aTypicalPool({ name: 'b-too', labels: { team: 'red' } }),
  aTypicalPool({ name: 'compute', requirements: [inCategory('c')] }),
  aTypicalPool({ name: 'spot', requirements: [onCapacity('spot')], taints: [BATCH] }),
  aTypicalPool({ name: 'slow', requirements: [inCategory('t')], taints: [SLOW] }),
  aTypicalPool({ name: 'heavy', weight: 10, requirements: [inCategory('r')], taints: [BATCH] }),
];

/** One DaemonSet runs on compute types only, and takes a port. */
const DAEMON_SETS = [
  aDaemonSet({
    template: aPodTemplate({
      spec: aPodSpec({
        requests: resources(2, 3, { pods: 1 }),
        requiredNodeTerms: [[inCategory('c')]],
        hostPorts: [{ port: 9100, protocol: 'TCP', ip: '' }],
      }),
    }),
  }),
];

const prepared = (work = createWorkMeter()): Problem =>
  prepare(createEc2Snapshot({ pools: POOLS, daemonSets: DAEMON_SETS }), work);

const anySpec: fc.Arbitrary<PodSpec> = fc
  .record({
    cpus: fc.integer({ min: 1, max: 400 }),
    gib: fc.integer({ min: 1, max: 2_000 }),
    nodeSelector: fc.constantFrom<PodSpec['nodeSelector']>({}, {}, { team: 'red' }),
    requiredNodeTerms: fc.constantFrom<PodSpec['requiredNodeTerms']>([], [], [[inCategory('c')], [inCategory('m')]]),
    preferredNodeTerms: fc.constantFrom<PodSpec['preferredNodeTerms']>([], [{ weight: 1, term: [onCapacity('spot')] }]),
    tolerations: fc.subarray<PodSpec['tolerations'][number]>([
      { key: 'workload', operator: 'Exists' },
      { key: 'slow', operator: 'Exists' },
    ]),
    hostPorts: fc.constantFrom<PodSpec['hostPorts']>([], [{ port: 9100, protocol: 'TCP', ip: '' }]),
  })
  .map(({ cpus, gib, ...over }) => aPodSpec({ ...over, requests: resources(cpus / 2, gib / 2, { pods: 1 }) }));

/** The price of the pod's share in each pool, computed for every pool and every type. */
function listSharesByPool(spec: PodSpec, problem: Problem): Map<string, number> {
  const options = listOptions(spec, problem);
  const [first] = options;
  const { cpu = 0, memory = 0 } = spec.requests;
  const allocatableOf = (type: number) => problem.typeIndex.types[type]?.allocatable ?? {};
  const shares = new Map<string, number>();
  for (const { template, types, where } of options) {
    if (template.pool.weight !== first?.template.pool.weight) continue;
    const usd = listTypesByPrice(where, problem)
      .filter(({ type }) => hasBit(types, type))
      .map(({ type, hourlyUsd }) => {
        const allocatable = allocatableOf(type);
        return (hourlyUsd * (cpu / (allocatable.cpu ?? 0) + memory / (allocatable.memory ?? 0))) / 2;
      });
    const { name } = template.pool;
    shares.set(name, Math.min(shares.get(name) ?? Infinity, ...usd));
  }
  return shares;
}

describe('the choices of a pod between NodePools', () => {
  const problem = prepared();

  it('have the prices that every type of every pool has, and name the cheapest pool', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const choices = listPoolChoices(spec, problem);
        const cheapest = findCheapestChoice(spec, choices, problem);
        const prices = choices.flatMap(({ pools }, index) =>
          pools.map((pool) => [pool, cheapest?.shares[index]] as const),
        );
        const expected = listSharesByPool(spec, problem);

        expect(new Map(prices)).toEqual(expected);
        expect(expected.get(cheapest?.pool ?? '')).toBe(expected.size > 0 ? Math.min(...expected.values()) : undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('are one for pools that offer the same', () => {
    const pools = listPoolChoices(aPodSpec(), problem).map((choice) => choice.pools);

    expect(pools).toEqual([['compute'], ['b-too', 'b', 'a'], ['slow']]);
  });

  it('are the same list for pods that differ in their requests only', () => {
    const [small, large] = [resources(1, 1), resources(8, 8)].map((requests) =>
      listPoolChoices(aPodSpec({ requests }), problem),
    );

    expect(small).toBe(large);
  });

  it('count against the work limits, for each pool and each pod', () => {
    const work = createWorkMeter();
    const metered = prepared(work);
    const measure = (spec: PodSpec): number => {
      const before = work.spent();
      findCheapestChoice(spec, listPoolChoices(spec, metered), metered);
      return work.spent() - before;
    };

    expect(measure(aPodSpec())).toBeGreaterThan(100 * POOLS.length);
    expect(measure(aPodSpec({ requests: resources(2, 3) }))).toBeGreaterThan(20);
  });
});
