import { describe, expect, it } from 'vitest';
import { createCatalogueReader } from '../../../../shared/aws/ec2/catalogue/ec2-catalogue.ts';
import { bundledPriceList } from '../../../../shared/aws/ec2/prices/price-list.ts';
import type { ResolvedNodeClass } from '../../../../shared/ports/node-classes.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { aNodeClass, aNodePool, aPod, aSnapshot, ZONES } from '../../../support/builders.ts';
import { anImage, aResolvedClass } from '../../../support/node-classes.ts';

const PRICES = bundledPriceList(ZONES);

function catalogueOf(classes: Readonly<Record<string, Partial<ResolvedNodeClass>>>) {
  const read = createCatalogueReader(async (name) => {
    const over = classes[name];
    return over && { resolved: aResolvedClass({ name, ...over }), nodeClass: aNodeClass({ name }) };
  });
  const pools = Object.keys(classes).map((name) => aNodePool({ name, nodeClass: { ...aNodePool().nodeClass, name } }));
  return { read: () => read(pools, PRICES), pools };
}

const inZones = (...zones: readonly string[]) => ({
  subnets: zones.map((zone) => ({ id: `subnet-${zone}`, zone, freeAddresses: 9 })),
});

describe('the types of a class', () => {
  it('are those that one of its images fits', async () => {
    const gpu = 'karpenter.k8s.aws/instance-gpu-count';
    const forAmd64 = anImage().requirements;
    const { read } = catalogueOf({
      standard: {
        images: [anImage({ requirements: [...forAmd64, { key: gpu, operator: 'DoesNotExist' }] })],
      },
      gpus: { images: [anImage({ requirements: [{ key: gpu, operator: 'Exists' }] })] },
    });

    const { instanceTypes } = await read();

    const labels = (pool: string, key: string) => new Set(instanceTypes[pool]?.map((type) => type.labels[key]));
    expect(labels('standard', 'kubernetes.io/arch')).toEqual(new Set(['amd64']));
    expect(labels('standard', gpu)).toEqual(new Set([undefined]));
    expect(labels('gpus', gpu)).not.toContain(undefined);
  });

  it('are sold in the zones of its subnets with free addresses', async () => {
    const { read } = catalogueOf({
      a: {
        subnets: [
          { id: 'subnet-1', zone: ZONES[0], freeAddresses: 5 },
          { id: 'subnet-2', zone: ZONES[1], freeAddresses: 0 },
        ],
      },
    });

    const { zones, offerings } = await read();

    expect(zones).toEqual({ a: [ZONES[0]] });
    expect(new Set(offerings.map(({ zone }) => zone))).toEqual(new Set([ZONES[0]]));
  });

  it('are planned only in its own zones, even if another class has other zones', async () => {
    const { read, pools } = catalogueOf({
      a: inZones(ZONES[0]),
      b: inZones(ZONES[1]),
    });
    const catalogue = await read();
    const pods = ['a', 'b'].map((pool) =>
      aPod({
        name: pool,
        spec: { ...aPod().spec, nodeSelector: { 'karpenter.sh/nodepool': pool } },
      }),
    );

    const { claims } = planProvisioning(aSnapshot({ pools, pods, ...catalogue }), 'decision-1');

    const zonesOf = (pool: string) =>
      claims
        .filter(({ claim }) => claim.pool === pool)
        .flatMap(({ claim }) => claim.requirements.filter(({ key }) => key === 'topology.kubernetes.io/zone'))
        .flatMap(({ values }) => values);
    expect([zonesOf('a'), zonesOf('b')]).toEqual([[ZONES[0]], [ZONES[1]]]);
  });
});
