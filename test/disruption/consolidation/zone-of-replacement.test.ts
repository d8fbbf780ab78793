import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { aSelector, ZONES } from '../../support/builders.ts';
import { aFleet, decide, type FleetNode, web } from '../fleet.ts';

const ZONE = 'topology.kubernetes.io/zone';
const [A = '', B = ''] = ZONES;

/** A pod that spreads over zones with the others of its app. */
const spread = (name: string, maxSkew: number): Pod => ({
  ...web(name, 0.5, {
    topologySpread: [
      {
        key: ZONE,
        maxSkew,
        whenUnsatisfiable: 'DoNotSchedule',
        selector: aSelector({ app: 'shop' }),
        matchLabelKeys: [],
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ],
  }),
  labels: { app: 'shop' },
});

const spreads = (count: number, maxSkew: number): Pod[] =>
  Array.from({ length: count }, (_, index) => spread(`shop-${index}`, maxSkew));

/** No other pod fits beside this one, and this one fits on no other node. */
const FULL: FleetNode = { name: 'full', type: 'large', zone: B, pods: [web('heavy', 8)] };

describe('the zone of a replacement', () => {
  it('is chosen before the pods are spread, so that one smaller node may hold them all', () => {
    const { gone, command } = decide(
      aFleet([{ name: 'large', type: 'large', zone: A, pods: spreads(3, 3) }, FULL]),
    );

    expect(gone).toEqual(['large']);
    expect(command?.replacements.map(({ cheapest }) => cheapest.instanceType)).toEqual(['small']);
    expect(command?.replacements.flatMap(({ pods }) => pods)).toHaveLength(3);
  });

  it('does not matter if each pod needs a zone of its own: the node stays', () => {
    const { gone } = decide(
      aFleet([{ name: 'large', type: 'large', zone: A, pods: spreads(3, 1) }, FULL]),
    );

    expect(gone).toEqual([]);
  });
});
