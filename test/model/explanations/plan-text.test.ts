import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { explainChoice } from '../../../shared/model/explanations/plan-text.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import {
  aCluster,
  aPool,
  createPods,
  createStepTypes,
  need,
  requesting,
  spreadOver,
  Z2,
  ZONE,
} from '../../scheduling/support/fixture.ts';

const types = createStepTypes(8);
const three = createPods(3, 'a', { requests: requesting(1.5) });
const said = (over: Partial<ClusterSnapshot>, pods: readonly Pod[] = three): string[] =>
  planProvisioning({ ...aCluster({ types, ...over }), pods }, 'decision-1').claims.map(explainChoice);

const team = (weight: number, over = {}) => aPool({ name: 'team', weight, ...over });

describe('explainChoice', () => {
  it.each<[string, Partial<ClusterSnapshot>, string]>([
    [
      'the only pool, the cheapest zone',
      {},
      'No pool but default takes these pods. Of 7 types that suit the pods, 4 hold them all. test-zone-1 is the cheapest of 3 zones; test-zone-2 costs $1.574/h.',
    ],
    [
      'the heavier pool, the only zone',
      { pools: [team(10, { requirements: [need(ZONE, 'In', Z2)] }), aPool()] },
      'Pool team goes before default by weight, where the node would cost $1.574/h. Of 7 types that suit the pods, 4 hold them all. Only test-zone-2 is open to them.',
    ],
    [
      'the heavier pool is full',
      { pools: [team(10, { limits: { cpu: 1000 } }), aPool()] },
      'Pool team goes before default, but has no room within its limits. Of 7 types that suit the pods, 4 hold them all. test-zone-1 is the cheapest of 3 zones; test-zone-2 costs $1.574/h.',
    ],
    [
      'one of two equals',
      { pools: [team(0), aPool()] },
      'Of equal weight is pool default, where the node would cost $1.574/h. Of 7 types that suit the pods, 4 hold them all. test-zone-1 is the cheapest of 3 zones; test-zone-2 costs $1.574/h.',
    ],
  ])('explains %s', (_, over, text) => {
    expect(said(over)).toEqual([text]);
  });

  it('names the zone that a spread constraint requires', () => {
    const spread = createPods(3, 'a', {
      requests: requesting(1.5),
      topologySpread: [spreadOver(ZONE)],
    });

    const zones = said({}, spread).map((text) => /ask for (test-zone-\d)\.$/.exec(text)?.[1]);
    expect(zones).toEqual(['test-zone-1', 'test-zone-2', 'test-zone-3']);
  });
});
