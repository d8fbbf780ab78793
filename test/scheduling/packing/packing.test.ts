import { describe, expect, it } from 'vitest';
import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import {
  ARCH,
  aCluster,
  aPoolRequiring,
  CAPACITY,
  createOfferings,
  createPods,
  createStepTypes,
  fakeType,
  GPU_A,
  GPU_B,
  need,
  OS,
  offering,
  requesting,
  requiringNode,
  SIZE,
  SPECIAL,
  TYPE,
  tiny,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerNode, findNodeOfPod, listLaunchedTypes, listOpenTypes, provision } from '../support/provision.ts';

const cluster = aCluster();
const megabytes = (count: number) => ({ memory: count * 1e6, pods: 1 });

describe('a pod that fits nowhere', () => {
  it.each([
    ['512 CPUs', requesting(512)],
    ['2 TiB', requesting(0, 2048)],
    ['1 TiB, asked by an init container', requesting(1, 1024)],
    ['GPUs of two makers', requesting(0, 0, { [GPU_A]: 1, [GPU_B]: 1 })],
  ])('requests %s', (_, requests) => {
    expect(provision(cluster, tiny('a', { requests })).pending).toEqual(['a']);
  });
});

describe('suitable types', () => {
  it.each([
    ['100 MB', megabytes(100), 'small'],
    ['2 GB', megabytes(2000), 'small'],
    ['1 CPU and a runtime class that takes 2', requesting(3), 'default'],
    ['nothing of a resource that nobody has', { 'foo.com/weird': 0, pods: 1 }, 'small'],
    ['an init container of 2 CPUs', requesting(2), 'default'],
    ['a GPU', requesting(0, 0, { [GPU_A]: 1 }), 'gpu-a'],
  ])('hold a pod that requests %s', (_, requests, type) => {
    expect(listLaunchedTypes(provision(cluster, tiny('a', { requests })))).toEqual([type]);
  });

  it('stay all open, and the cheapest is launched, large or not', () => {
    const [small, medium, large] = [
      fakeType('small', { cpus: 1, gib: 1 }),
      fakeType('medium', { cpus: 2, gib: 2 }),
      fakeType('large', { cpus: 4, gib: 4 }),
    ];
    const priced = [...createOfferings(small, 2), ...createOfferings(medium, 3), ...createOfferings(large, 1)];
    const outcome = provision(
      aCluster({ types: [medium, small, large], priced }),
      tiny('a', { requests: requesting(0.001, 0.001) }),
    );

    expect(outcome.plan.claims[0]?.claim.instanceTypes).toEqual(['large', 'small', 'medium']);
    expect(listLaunchedTypes(outcome)).toEqual(['large']);
  });

  it('do not include a GPU for pods that request none', () => {
    const outcome = provision(cluster, ...createPods(20, 'a', { requests: requesting(1, 0.5) }));

    expect(listLaunchedTypes(outcome)).not.toContain('gpu-a');
    expect(listLaunchedTypes(outcome)).not.toContain('gpu-b');
  });

  it('are not ordered by prices that the NodePool does not allow', () => {
    const [one, two] = [fakeType('one', { cpus: 2, gib: 2 }), fakeType('two', { cpus: 2, gib: 2 })];
    const outcome = provision(
      aCluster({
        types: [two, one],
        priced: [...createOfferings(one, 1, 0.2), ...createOfferings(two, 1.3, 0.1)],
        pools: [aPoolRequiring(need(CAPACITY, 'In', 'on-demand'))],
      }),
      tiny('a'),
    );

    expect(outcome.plan.claims[0]?.claim.instanceTypes).toEqual(['one', 'two']);
  });
});

describe('pods that cannot share a node', () => {
  it.each<[string, Partial<PodSpec>, Partial<PodSpec>]>([
    ['of different architectures', { nodeSelector: { [ARCH]: 'amd64' } }, { nodeSelector: { [ARCH]: 'arm64' } }],
    ['of different operating systems', { nodeSelector: { [OS]: 'linux' } }, { nodeSelector: { [OS]: 'windows' } }],
    ['of different types', { nodeSelector: { [TYPE]: 'small' } }, { nodeSelector: { [TYPE]: 'default' } }],
    ['of different zones', { nodeSelector: { [ZONE]: Z1 } }, { nodeSelector: { [ZONE]: Z2 } }],
    [
      'with GPUs of different makers',
      { requests: requesting(0, 0, { [GPU_A]: 1 }) },
      { requests: requesting(0, 0, { [GPU_B]: 1 }) },
    ],
  ])('are %s', (_, one, other) => {
    const outcome = provision(cluster, tiny('a', one), tiny('b', other));

    expect(outcome.pending).toEqual([]);
    expect(outcome.launched).toHaveLength(2);
    expect(findNodeOfPod(outcome, 'a')).not.toEqual(findNodeOfPod(outcome, 'b'));
  });
});

describe('open types', () => {
  const amd64 = ['default', 'gpu-a', 'gpu-b', 'single-pod', 'small'];
  it.each<[string, RequirementSpec, string[]]>([
    ['a type', need(TYPE, 'In', 'small'), ['small']],
    ['an operating system', need(OS, 'In', 'ios'), ['arm']],
    ['an architecture', need(ARCH, 'In', 'amd64'), amd64],
  ])('match where the NodePool or pod requires %s', (_, requirement, types) => {
    const byPod = provision(cluster, tiny('a', requiringNode(requirement)));
    const byPool = provision(aCluster({ pools: [aPoolRequiring(requirement)] }), tiny('a'));

    expect(listOpenTypes(byPod)).toEqual(types);
    expect(listOpenTypes(byPool)).toEqual(types);
  });

  const steps = aCluster({ types: createStepTypes(5) });
  it.each<[string, Partial<PodSpec>, string[]]>([
    ['a large one', { nodeSelector: { [SIZE]: 'large' } }, ['fake-it-4']],
    ['the cheapest small one', { nodeSelector: { [SIZE]: 'small' } }, ['fake-it-0']],
    ['one with the label', requiringNode(need(SPECIAL, 'Exists')), ['fake-it-4']],
    ['one without the label', requiringNode(need(SPECIAL, 'DoesNotExist')), ['fake-it-0']],
  ])('include %s at launch', (_, spec, types) => {
    expect(listLaunchedTypes(provision(steps, tiny('a', spec)))).toEqual(types);
  });

  it('fail for large together with a small type', () => {
    const spec = { nodeSelector: { [SIZE]: 'large', [TYPE]: 'fake-it-0' } };

    expect(provision(steps, tiny('a', spec)).pending).toEqual(['a']);
  });
});

describe('many pods', () => {
  it('share one small node if five are small', () => {
    const outcome = provision(cluster, ...createPods(5, 'a', { requests: megabytes(10) }));

    expect(listLaunchedTypes(outcome)).toEqual(['small']);
  });

  it("respect the node's maximum number of pods", () => {
    const outcome = provision(cluster, ...createPods(25, 'a'));

    expect(countPodsPerNode(outcome)).toEqual([5, 5, 5, 5, 5]);
    expect(new Set(listLaunchedTypes(outcome))).toEqual(new Set(['small']));
  });

  const forty = createPods(40, 'a', {
    requests: megabytes(1800),
    nodeSelector: { [ARCH]: 'amd64' },
  });
  it('share a node by two if each fills half', () => {
    const outcome = provision(cluster, ...forty);

    expect(countPodsPerNode(outcome)).toEqual(Array.from({ length: 20 }, () => 2));
    expect(new Set(listLaunchedTypes(outcome))).toEqual(new Set(['default']));
  });

  it('fill the remaining room with small pods', () => {
    const more = createPods(20, 'b', { requests: megabytes(400) });
    const outcome = provision(cluster, ...forty, ...more);

    expect(countPodsPerNode(outcome)).toEqual(Array.from({ length: 20 }, () => 3));
  });

  it('get types of their own if no type holds them together', () => {
    const outcome = provision(
      aCluster({ types: createStepTypes(5) }),
      tiny('a', { requests: requesting(4.5) }),
      tiny('b', { requests: requesting(1) }),
    );

    expect(listLaunchedTypes(outcome)).toEqual(['fake-it-1', 'fake-it-4']);
  });

  it('get one node each if a type holds one pod', () => {
    const outcome = provision(
      aCluster({ pools: [aPoolRequiring(need(TYPE, 'In', 'single-pod'))] }),
      ...createPods(3, 'a'),
    );

    expect(countPodsPerNode(outcome)).toEqual([1, 1, 1]);
  });
});

/** One offering each: cpu × memory × zone × capacity type × architecture. */
const assorted = [1, 2, 4, 8, 16, 32, 64].flatMap((cpus) =>
  [1, 2, 4, 8, 16, 32, 64, 128].flatMap((gib) =>
    [Z1, Z2, 'test-zone-3'].flatMap((zone) =>
      (['spot', 'on-demand'] as const).flatMap((capacityType) =>
        ['amd64', 'arm64'].map((arch) => ({
          type: fakeType(`${cpus}-${gib}-${zone}-${capacityType}-${arch}`, {
            cpus,
            gib,
            labels: { [ARCH]: arch },
          }),
          zone,
          capacityType: capacityType satisfies CapacityType,
          usd: 0.1 * cpus + 0.1 * gib,
        })),
      ),
    ),
  ),
);
const bazaar = aCluster({
  types: assorted.map(({ type }) => type),
  priced: assorted.map(({ type, zone, capacityType, usd }) => offering(type, capacityType, zone, usd)),
});

describe('among hundreds of types', () => {
  it.each<[string, RequirementSpec[], number]>([
    ['anything', [], 672],
    ['an architecture', [need(ARCH, 'In', 'arm64')], 336],
    ['a zone', [need(ZONE, 'In', Z2)], 224],
    ['a capacity type', [need(CAPACITY, 'In', 'spot')], 336],
    ['a zone and an architecture', [need(ZONE, 'In', Z1), need(ARCH, 'In', 'arm64')], 112],
    [
      'three things at once',
      [need(ZONE, 'In', Z1, Z2), need(ARCH, 'In', 'amd64'), need(CAPACITY, 'In', 'on-demand')],
      112,
    ],
  ])('a pod that requires %s gets the cheapest match', (_, requirements, matching) => {
    const byPod = provision(bazaar, tiny('a', requiringNode(...requirements)));
    const byPool = provision({ ...bazaar, pools: [aPoolRequiring(...requirements)] }, tiny('a'));

    for (const { plan } of [byPod, byPool]) {
      expect(plan.hourlyUsd).toBeCloseTo(0.2);
      expect(plan.claims[0]?.claim.instanceTypes).toHaveLength(Math.min(600, matching));
    }
  });

  it('a combination without an offering fails', () => {
    const arms = assorted.filter(({ zone, type }) => zone !== Z2 || type.labels[ARCH] === 'amd64');
    const sold = {
      ...bazaar,
      offerings: bazaar.offerings.filter(({ instanceType }) => arms.some(({ type }) => type.name === instanceType)),
    };
    const spec = { nodeSelector: { [ARCH]: 'arm64', [ZONE]: Z2 } };

    expect(provision(sold, tiny('a', spec)).pending).toEqual(['a']);
  });

  const sizes = [0.1, 1, 2, 2.5, 4, 8, 16].flatMap((cpus) =>
    [0.1, 1, 2, 4, 8, 16, 32].map((gib) => [cpus, gib] as const),
  );
  it.each(sizes)('three pods of %s CPUs and %s GiB share one node', (cpus, gib) => {
    const outcome = provision(bazaar, ...createPods(3, 'a', { requests: requesting(cpus, gib) }));

    expect(outcome.pending).toEqual([]);
    expect(countPodsPerNode(outcome)).toEqual([3]);
  });

  it('the types are not modified', () => {
    const before = structuredClone(bazaar.instanceTypes);
    provision(bazaar, ...createPods(3, 'a', { requests: requesting(4, 8) }));

    expect(bazaar.instanceTypes).toEqual(before);
  });
});
