import { describe, expect, it } from 'vitest';
import type { Pod, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { aSelector, ZONES } from '../../support/builders.ts';
import { aFleet, aWillingPool, decide, type FleetNode, onDemand, priced, TYPES, web } from '../fleet.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const [A = '', B = '', C = ''] = ZONES;

/** A spread over zones with the pods of the shop. */
const beside = (maxSkew: number): TopologySpreadConstraint => ({
  key: ZONE,
  maxSkew,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: aSelector({ app: 'shop' }),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
});

/** A pod that spreads over zones with the others of its app. */
const spread = (name: string, maxSkew: number): Pod => ({
  ...web(name, 0.5, { topologySpread: [beside(maxSkew)] }),
  labels: { app: 'shop' },
});

const spreads = (count: number, maxSkew: number): Pod[] =>
  Array.from({ length: count }, (_, index) => spread(`shop-${index}`, maxSkew));

/** A pod of the shop that runs in any zone, on a node without others. */
const alone = (name: string): Pod => ({
  ...web(name, 3, {
    podAntiAffinity: [{ key: HOST, selector: aSelector({ app: 'shop' }), matchLabelKeys: [], namespaces: [] }],
  }),
  labels: { app: 'shop' },
});

/** No other pod fits beside this one, and this one fits on no other node. */
const FULL: FleetNode = { name: 'full', type: 'large', zone: B, pods: [web('heavy', 8)] };

describe('the zone of a replacement', () => {
  it('is chosen before the pods are spread, so that one smaller node may hold them all', () => {
    const { gone, command } = decide(aFleet([{ name: 'large', type: 'large', zone: A, pods: spreads(3, 3) }, FULL]));

    expect(gone).toEqual(['large']);
    expect(command?.replacements.map(({ cheapest }) => cheapest.instanceType)).toEqual(['small']);
    expect(command?.replacements.flatMap(({ pods }) => pods)).toHaveLength(3);
  });

  it('does not matter if each pod needs a zone of its own: the node stays', () => {
    const { gone } = decide(aFleet([{ name: 'large', type: 'large', zone: A, pods: spreads(3, 1) }, FULL]));

    expect(gone).toEqual([]);
  });

  it('is none in which a lighter NodePool would take the place of a heavier one', () => {
    // The heavier pool has spot instances only, which do not replace each other.
    const { gone } = decide(
      aFleet(
        [
          {
            name: 'large',
            type: 'large',
            zone: A,
            capacityType: 'spot',
            pods: [alone('shop-1'), web('guest', 0.5, { topologySpread: [beside(1)] })],
          },
          { name: 'full', type: 'medium', zone: A, capacityType: 'spot', pods: [alone('shop-2')] },
        ],
        {
          pools: [
            aWillingPool({
              weight: 10,
              requirements: [{ key: ZONE, operator: 'In', values: [A, B] }],
            }),
            aWillingPool({
              name: 'lighter',
              requirements: [{ key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] }],
            }),
          ],
          offerings: [
            ...TYPES.flatMap((type) => onDemand(type)).filter(({ zone }) => zone === C),
            ...[A, B].map((zone) => priced('medium', 'spot', zone, 0.1)),
            priced('large', 'spot', A, 0.3),
          ],
        },
      ),
    );

    expect(gone).toEqual([]);
  });
});
