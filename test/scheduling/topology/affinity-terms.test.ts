import { describe, expect, it } from 'vitest';
import {
  aCluster,
  affinityTo,
  createPods,
  fakeType,
  HOSTNAME,
  need,
  offering,
  requesting,
  tiny,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, findZoneOfPod, provision } from '../support/provision.ts';

const SMALL = fakeType('small', { cpus: 2, gib: 4 });
const SIDE_BY_SIDE = { podAffinity: [affinityTo('front', ZONE), affinityTo('back', HOSTNAME)] };

describe('affinity with several terms', () => {
  it('joins only pods that match all terms: pods that match one term each do not count', () => {
    const { pending } = provision(
      aCluster(),
      tiny('front', {}, { app: 'front' }),
      tiny('back', {}, { app: 'back' }),
      tiny('a', SIDE_BY_SIDE),
    );

    expect(pending).toEqual(['a']);
  });

  it('places the pod beside a pod that matches all terms', () => {
    const isMeant = { podAffinity: [affinityTo('web', ZONE), affinityTo('web', HOSTNAME)] };
    const { pending, launched } = provision(aCluster(), tiny('web'), tiny('a', isMeant, { app: 'a' }));

    expect(pending).toEqual([]);
    expect(launched).toHaveLength(1);
  });
});

describe('affinity with several required node terms', () => {
  const either = { requiredNodeTerms: [[need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]] };
  const together = { ...either, podAffinity: [affinityTo('web', ZONE)], requests: requesting(1) };

  it('stays in the zone of the first pods, even if another node term allows other zones', () => {
    const cluster = aCluster({
      types: [SMALL],
      priced: [offering(SMALL, 'on-demand', Z1, 1), offering(SMALL, 'on-demand', Z2, 2)],
    });
    const withRoom = provision(
      cluster,
      tiny('first', { nodeSelector: { [ZONE]: Z2 }, requests: requesting(0.5) }, { app: 'first' }),
    ).after;

    const outcome = provision(withRoom, ...createPods(3, 'a', together));

    expect(outcome.pending).toEqual([]);
    expect(countPodsPerDomain(outcome)).toEqual([3]);
    expect(findZoneOfPod(outcome, 'a-1')).toBe(Z2);
  });
});
