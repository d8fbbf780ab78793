import { describe, expect, it } from 'vitest';
import { createCatalogueReader } from '../../../../shared/aws/ec2/catalogue/ec2-catalogue.ts';
import { computeSetupHash, listSizedTypes } from '../../../../shared/aws/ec2/catalogue/types-of-class.ts';
import { bundledPriceList } from '../../../../shared/aws/ec2/prices/price-list.ts';
import type { LaunchableClass } from '../../../../shared/aws/node-class/launchable-class.ts';
import { listInstanceTypes } from '../../../../shared/ec2/catalogue/instance-types.ts';
import type { LearnedSize } from '../../../../shared/model/nodes/learned-sizes.ts';
import { GIB, MIB } from '../../../../shared/model/resources.ts';
import type { ResolvedNodeClass } from '../../../../shared/ports/node-classes.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { aNodeClass, aNodePool, aPod, aPodSpec, aSnapshot, ZONES } from '../../../support/builders.ts';
import { anImage, aResolvedClass, aWrittenClass } from '../../../support/node-classes.ts';

const PRICES = bundledPriceList(ZONES);

const aClass = (over: Partial<ResolvedNodeClass> = {}): LaunchableClass => ({
  resolved: aResolvedClass({ images: [anImage()], ...over }),
  nodeClass: aNodeClass(),
});

/** A t3.medium with this memory and the class's image. */
const observed = (memoryMib: number, over: Partial<LearnedSize> = {}): LearnedSize => ({
  instanceType: 't3.medium',
  imageId: 'ami-amd64',
  setup: computeSetupHash(aClass().resolved),
  capacity: { memory: memoryMib * MIB },
  allocatable: { cpu: 1930, memory: (memoryMib - 542) * MIB, pods: 17 },
  ...over,
});

const t3 = (sizes: readonly LearnedSize[], result = aClass()) =>
  listSizedTypes(result, PRICES, sizes).find(({ name }) => name === 't3.medium');

describe('the size of a type', () => {
  it('is the size that nodes of the image have reported, and the estimate for another image', () => {
    expect(t3([observed(3840)])?.capacity.memory).toBe(3840 * MIB);
    expect(t3([observed(3840)])?.allocatable).toMatchObject({ cpu: 1930, memory: 3298 * MIB });

    const rebuilt = aClass({ images: [anImage({ id: 'ami-of-tomorrow' })] });
    expect(t3([observed(3840)], rebuilt)?.capacity.memory).toBe(3788 * MIB);
  });

  it.each([
    ['twice the memory', observed(2 * 3840)],
    ['a tenth of the memory', observed(384)],
    ['more CPU than the type has', { ...observed(3840), allocatable: { cpu: 64_000 } }],
    ['ten thousand pods', { ...observed(3840), allocatable: { pods: 10_000 } }],
    ['a negative amount', { ...observed(3840), allocatable: { memory: -1 } }],
  ])('is the estimate if a row of a shared table is implausible: %s', (_, size) => {
    expect(t3([size])).toEqual(t3([]));
  });

  it('is found by the image of the type, whatever other images the class has', () => {
    const gpu = 'karpenter.k8s.aws/instance-gpu-count';
    const standard = anImage().requirements;
    const images = [
      anImage({ id: 'ami-nvidia', requirements: [...standard, { key: gpu, operator: 'Exists' }] }),
      anImage({ requirements: [...standard, { key: gpu, operator: 'DoesNotExist' }] }),
    ];

    expect(t3([observed(3840)], aClass({ images }))?.capacity.memory).toBe(3840 * MIB);
    expect(t3([observed(3840, { imageId: 'ami-nvidia' })], aClass({ images }))?.isLearned).toBe(undefined);
  });

  it('takes only the memory from nodes with another setup', () => {
    const ofAnother = observed(3840, {
      setup: 'with a larger reserve',
      allocatable: { memory: GIB },
    });
    const type = t3([ofAnother]);

    expect(type?.capacity.memory).toBe(3840 * MIB);
    // 255 + 11 × 17 for the kubelet, 100 for eviction.
    expect(type?.allocatable.memory).toBe((3840 - 542) * MIB);
    expect(type?.allocatable.cpu).toBe(1930);
  });

  it('is marked as learned only if a node has reported it', () => {
    const types = listSizedTypes(aClass(), PRICES, [observed(3840)]);

    expect(types.filter(({ isLearned }) => isLearned).map(({ name }) => name)).toEqual(['t3.medium']);
  });

  it("has the label of the cluster's region", () => {
    const regionOf = (sizes: readonly LearnedSize[]) =>
      listSizedTypes(aClass(), PRICES, sizes, 'eu-west-1').map(({ labels }) => labels['topology.kubernetes.io/region']);

    expect(new Set(regionOf([]))).toEqual(new Set(['eu-west-1']));
    expect(new Set(regionOf([observed(3840, { setup: 'of another' })]))).toEqual(new Set(['eu-west-1']));
  });

  it('gives the same list object for the same sizes, and the unchanged list without any', () => {
    const result = aClass();
    const estimated = listInstanceTypes(result.nodeClass, PRICES.newer);

    expect(listSizedTypes(result, PRICES, [])).toBe(estimated);
    expect(listSizedTypes(result, PRICES, [observed(3840)])).toBe(listSizedTypes(aClass(), PRICES, [observed(3840)]));
  });
});

describe('the setup hash', () => {
  it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ['user data', { userData: '#!/bin/sh' }, false],
    ['kubelet', { kubelet: { maxPods: 20 } }, false],
    ['volumes', { blockDeviceMappings: [{ deviceName: '/dev/xvda' }] }, false],
    ['tags', { tags: { team: 'a' } }, true],
    ['version of the image', { amiSelectorTerms: [{ alias: 'al2023@v20250101' }] }, true],
    ['role', { role: 'another' }, true],
  ])('is equal for another %s: %s', (_, spec, isAlike) => {
    const other = computeSetupHash({ written: aWrittenClass(spec) });

    expect(other === computeSetupHash({ written: aWrittenClass() })).toBe(isAlike);
  });
});

describe('a type whose estimate was too high', () => {
  it('is not chosen again for a pod that did not fit', async () => {
    const pool = aNodePool({
      requirements: [
        {
          key: 'node.kubernetes.io/instance-type',
          operator: 'In',
          values: ['t3.medium', 't3.large'],
        },
      ],
    });
    const read = createCatalogueReader(async () => aClass());
    // The pod uses exactly the estimate of 3246Mi, with nothing else on the node.
    const pods = [aPod({ spec: aPodSpec({ requests: { cpu: 1000, memory: 3200 * MIB, pods: 1 } }) })];
    const typesPlanned = async (sizes: readonly LearnedSize[]) => {
      const catalogue = await read([pool], PRICES, sizes);
      const { claims } = planProvisioning(aSnapshot({ pools: [pool], pods, ...catalogue }), 'd-1');
      return claims.map(({ claim }) => claim.instanceTypes);
    };

    expect(await typesPlanned([])).toEqual([['t3.medium', 't3.large']]);
    expect(await typesPlanned([observed(3700)])).toEqual([['t3.large']]);
  });
});
