import { describe, expect, it } from 'vitest';
import { resolveZoneIds } from '../../../shared/model/offerings/zones.ts';
import type { RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aNodePool, aPod, aPodSpec, aSnapshot, ZONES } from '../../support/builders.ts';

const ZONE = 'topology.kubernetes.io/zone';
const ZONE_ID = 'topology.k8s.aws/zone-id';
const IDS = { [ZONES[0]]: 'use1-az4', [ZONES[1]]: 'use1-az6', [ZONES[2]]: 'use1-az1' };

const inIds = (...values: readonly string[]): RequirementSpec => ({
  key: ZONE_ID,
  operator: 'In',
  values,
});
const inZones = (...values: readonly string[]): RequirementSpec => ({
  key: ZONE,
  operator: 'In',
  values,
});

const named = (pod = aPod(), pool = aNodePool()) => resolveZoneIds({ pods: [pod], pools: [pool] }, IDS);
const termsOf = (spec: Parameters<typeof aPodSpec>[0]) =>
  named(aPod({ spec: aPodSpec(spec) })).pods[0]?.spec.requiredNodeTerms;

describe('resolveZoneIds', () => {
  it("replaces zone ids in a pod's selector and in each of its terms", () => {
    expect(termsOf({ nodeSelector: { [ZONE_ID]: 'use1-az6' } })).toEqual([[inZones(ZONES[1])]]);
    expect(
      termsOf({
        requiredNodeTerms: [[inIds('use1-az4', 'use1-az1')], [{ key: 'a', operator: 'Exists' }]],
      }),
    ).toEqual([[inZones(ZONES[0], ZONES[2])], [{ key: 'a', operator: 'Exists' }]]);
  });

  it('replaces zone ids in the requirements and labels of a pool', () => {
    const required = aNodePool({ requirements: [{ ...inIds('use1-az4'), operator: 'NotIn' }] });

    expect(named(aPod(), required).pools[0]?.requirements).toContainEqual({
      ...inZones(ZONES[0]),
      operator: 'NotIn',
    });
    const labelled = aNodePool({ labels: { [ZONE_ID]: 'use1-az1' } });
    expect(named(aPod(), labelled).pools[0]?.requirements).toContainEqual(inZones(ZONES[2]));
  });

  it('leaves no zone for an unknown id', () => {
    expect(termsOf({ nodeSelector: { [ZONE_ID]: 'usw2-az1' } })).toEqual([[inZones()]]);
  });

  it('returns the same objects if nothing uses a zone id', () => {
    const objects = { pods: [aPod()], pools: [aNodePool()] };

    expect(resolveZoneIds(objects, IDS)).toBe(objects);
  });

  it('keeps the specs of equal pods one object', () => {
    const spec = aPodSpec({ nodeSelector: { [ZONE_ID]: 'use1-az6' } });
    const pods = ['a', 'b'].map((name) => aPod({ name, spec }));
    const [first, second] = resolveZoneIds({ pods, pools: [] }, IDS).pods;

    expect(first?.spec).toBe(second?.spec);
  });

  it('lets the planner choose the zone of the id', () => {
    const pod = aPod({ spec: aPodSpec({ nodeSelector: { [ZONE_ID]: 'use1-az6' } }) });
    const { claims } = planProvisioning(resolveZoneIds(aSnapshot({ pods: [pod] }), IDS), 'd-1');

    expect(claims.map(({ cheapest }) => cheapest.zone)).toEqual([ZONES[1]]);
    expect(claims[0]?.claim.requirements).toContainEqual(inZones(ZONES[1]));
  });
});
