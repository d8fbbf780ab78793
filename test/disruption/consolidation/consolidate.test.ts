import { describe, expect, it } from 'vitest';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNode, aPod, aPodSpec, aSelector, aTypeOf, NOON, resources, ZONES } from '../../support/builders.ts';
import {
  aFleet,
  aWillingPool,
  decide,
  type FleetNode,
  findStayReason,
  onDemand,
  priced,
  TYPES,
  web,
  webs,
  willing,
} from '../fleet.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const CAPACITY = 'karpenter.sh/capacity-type';
const ZONE = 'topology.kubernetes.io/zone';
const [A = '', B = '', C = ''] = ZONES;
/** Has 1 CPU free and cannot be removed, because no other node fits its pod. */
const full: FleetNode = { name: 'full', type: 'large', pods: [web('heavy', 7)] };
const pending = (cpus: number): Pod =>
  aPod({ name: 'waiting', spec: aPodSpec({ requests: resources(cpus, 1, { pods: 1 }) }) });
const apart = (app: string) => ({
  key: HOSTNAME,
  selector: aSelector({ app }),
  matchLabelKeys: [],
  namespaces: [],
});

describe('node removal', () => {
  it('removes the node with the highest saving per disruption', () => {
    const decision = decide(
      aFleet([
        { name: 'cheap', type: 'small', pods: [web('p')] },
        { name: 'dear', type: 'medium', pods: [web('q')] },
      ]),
    );

    expect(decision.gone).toEqual(['dear']);
    expect(decision.command?.replacements).toEqual([]);
    expect(decision.command?.placements).toEqual([{ target: 'cheap', pods: ['default/q'] }]);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(0.2);
  });

  it('removes the node with fewer pods if both cost the same', () => {
    const decision = decide(
      aFleet([
        { name: 'two', pods: webs(2, 'p') },
        { name: 'one', pods: [web('q')] },
      ]),
    );

    expect(decision.gone).toEqual(['one']);
  });

  it('moves pods without an owner', () => {
    const { owner: _, ...bare } = web('p');

    expect(decide(aFleet([{ name: 'a', pods: [bare] }, full])).gone).toEqual(['a']);
  });

  it('moves pods to unmanaged nodes', () => {
    const decision = decide(
      aFleet([{ name: 'a', pods: [web('p')] }], {
        nodes: [aNode({ name: 'theirs', labels: {}, providerId: 'theirs' })],
      }),
    );

    expect(decision.gone).toEqual(['a']);
    expect(decision.command?.placements).toEqual([{ target: 'theirs', pods: ['default/p'] }]);
  });

  it('keeps a node whose type has no price', () => {
    const decision = decide(
      aFleet([{ name: 'a', type: 'small', pods: [web('p')] }, full], {
        offerings: onDemand(TYPES[2] ?? aTypeOf('large', 8, 32)),
      }),
    );

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('state-incomplete');
  });
});

/** A node of one type, with a pod that could run on types at other prices. */
const createCatalogue = (
  offerings: ReturnType<typeof onDemand>,
  own: Partial<FleetNode> = {},
  pool: Partial<NodePool> = {},
) =>
  decide(
    aFleet([{ name: 'a', type: 'own', pods: [web('p')], ...own }], {
      types: [aTypeOf('own', 4, 16), aTypeOf('other', 4, 16), aTypeOf('third', 4, 16)],
      offerings,
      pools: [aWillingPool(pool)],
    }),
  );

describe('node replacement', () => {
  const own = onDemand(aTypeOf('own', 4, 16), 0.5);
  const other = (usd: number) => onDemand(aTypeOf('other', 4, 16), usd);

  it('uses cheaper types only', () => {
    const third = onDemand(aTypeOf('third', 4, 16), 0.6);
    const decision = createCatalogue([...own, ...other(0.25), ...third]);

    expect(decision.gone).toEqual(['a']);
    expect(decision.replacedBy).toEqual(['other']);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(0.25);
  });

  it.each([
    ['does not use a more expensive type', other(0.6)],
    ['does not use a type at the same price', other(0.5)],
  ])('%s', (_, offerings) => {
    const decision = createCatalogue([...own, ...offerings]);

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('no-cheaper-replacement');
  });

  it('compares with the most expensive zone, because the launch chooses the zone', () => {
    const spot = [1, 0.2, 0.4].map((usd, at) => priced('own', 'spot', ZONES[at] ?? '', usd));

    expect(createCatalogue([...own, ...spot]).gone).toEqual([]);
  });

  it('restricts spot or on-demand to spot, so that a failed spot launch changes nothing', () => {
    const spot = ZONES.map((zone) => priced('other', 'spot', zone, 0.1));
    const decision = createCatalogue([...own, ...other(0.4), ...spot]);
    const [planned] = decision.command?.replacements ?? [];

    expect(decision.gone).toEqual(['a']);
    expect(planned?.claim.requirements).toContainEqual({
      key: CAPACITY,
      operator: 'In',
      values: ['spot'],
    });
  });

  it('does not replace spot with spot', () => {
    const spot = (type: string, usd: number) => ZONES.map((zone) => priced(type, 'spot', zone, usd));
    const decision = createCatalogue([...spot('own', 0.2), ...spot('other', 0.1)], {
      capacityType: 'spot',
    });

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('spot-to-spot-disabled');
  });

  it('still removes spot nodes whose pods fit elsewhere', () => {
    const decision = decide(
      aFleet([{ name: 'a', capacityType: 'spot', pods: [web('p')] }, full], {
        offerings: [...TYPES.flatMap((type) => onDemand(type)), priced('small', 'spot', A, 0.04)],
      }),
    );

    expect(decision.gone).toEqual(['a']);
  });

  it.each([
    [2, []],
    [1, ['a']],
  ])('respects minValues of %i types if one type is cheaper', (minValues, gone) => {
    const third = onDemand(aTypeOf('third', 4, 16), 0.6);
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists' as const, minValues }];
    const decision = createCatalogue([...own, ...other(0.25), ...third], {}, { requirements });

    expect(decision.gone).toEqual(gone);
  });

  it('counts minValues over the types that remain after the restriction to spot', () => {
    const spot = ZONES.map((zone) => priced('other', 'spot', zone, 0.1));
    const third = onDemand(aTypeOf('third', 4, 16), 0.3);
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists' as const, minValues: 2 }];
    const decision = createCatalogue([...own, ...spot, ...third], {}, { requirements });

    expect(decision.gone).toEqual([]);
  });

  it.each([
    ['cpu', { cpu: 4_000 }],
    ['nodes', { nodes: 1 }],
  ])("frees the removed node's share of a limit on %s", (_, limits) => {
    const decision = createCatalogue([...own, ...other(0.25)], {}, { limits });

    expect(decision.replacedBy).toEqual(['other']);
  });
});

describe('nodes whose pods do not fit elsewhere', () => {
  it('are not replaced by two nodes', () => {
    const decision = decide(
      aFleet([{ name: 'a', type: 'large', pods: webs(4, 'p', 1.5) }], {
        offerings: [
          ...onDemand(TYPES[0] ?? aTypeOf('small', 2, 8), 0.01),
          ...onDemand(TYPES[2] ?? aTypeOf('large', 8, 32), 0.4),
        ],
      }),
    );

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('no-cheaper-replacement');
  });

  it('stay if one pod fits nowhere', () => {
    const pinned: Partial<PodSpec> = { nodeSelector: { [HOSTNAME]: 'a' } };
    const decision = decide(aFleet([{ name: 'a', pods: [web('p', 0.5, pinned)] }, full]));

    expect(decision.gone).toEqual([]);
  });

  it('can still be removed while an unrelated pod cannot be scheduled', () => {
    const decision = decide(aFleet([{ name: 'a', pods: [web('p')] }, full], { pods: [pending(99)] }));

    expect(decision.gone).toEqual(['a']);
  });

  it('cannot use room that a pending pod is about to take', () => {
    const fleet = aFleet([{ name: 'a', pods: [web('p')] }, full], { pods: [pending(0.8)] });

    expect(decide(fleet).command?.placements ?? []).not.toContainEqual({
      target: 'full',
      pods: ['default/p'],
    });
  });

  it('stay if a pending pod needs them', () => {
    const fleet = aFleet([{ name: 'a', type: 'large', pods: [web('p')] }], {
      pods: [pending(6)],
    });

    expect(decide(fleet).gone).toEqual([]);
  });

  it('can still be removed while another pool is unusable', () => {
    const pools = [
      aWillingPool(),
      aWillingPool({
        name: 'broken',
        ready: false,
        notReady: { condition: 'NodeClassReady', message: 'not found' },
      }),
    ];

    expect(decide(aFleet([{ name: 'a', pods: [web('p')] }, full], { pools })).gone).toEqual(['a']);
  });

  it('do not move pods to uninitialized nodes', () => {
    const fleet = aFleet([
      { name: 'a', pods: [web('p')] },
      { name: 'new', type: 'large', pods: [web('q', 7)] },
    ]);
    const claims = fleet.claims.map(({ initializedAt, ...claim }) =>
      claim.name === 'new' || initializedAt === undefined ? claim : { ...claim, initializedAt },
    );

    expect(decide({ ...fleet, claims }).gone).toEqual([]);
  });

  it('do not bring pods together that anti-affinity separates', () => {
    const spec = { podAntiAffinity: [apart('web')] };
    const labelled = (name: string) => ({ ...web(name, 0.5, spec), labels: { app: 'web' } });

    expect(
      decide(
        aFleet([
          { name: 'a', pods: [labelled('p')] },
          { name: 'b', pods: [labelled('q')] },
        ]),
      ).gone,
    ).toEqual([]);
  });
});

describe('receiving nodes', () => {
  const target = (lastPodEventAgo: number, pool = 'general') =>
    aFleet(
      [
        { name: 'a', pods: [web('p')], claim: { lastPodEventAt: NOON - 60 * MINUTE_MS } },
        {
          name: 'busy',
          type: 'large',
          pool,
          pods: [web('q', 7)],
          claim: { lastPodEventAt: NOON - lastPodEventAgo },
        },
      ],
      {
        pools: [willing({ consolidateAfterMs: MINUTE_MS }), willing({ consolidateAfterMs: 'Never' }, 'never')],
      },
    );

  it.each([10 * SECOND_MS, 2 * MINUTE_MS])(
    'include a node within its consolidateAfter window, %i ms after the last pod came',
    (ago) => {
      expect(decide(target(ago)).gone).toEqual(['a']);
    },
  );

  it('include nodes of a pool that never consolidates', () => {
    expect(decide(target(SECOND_MS, 'never')).gone).toEqual(['a']);
  });

  it('include replacements at once', () => {
    const decision = decide(
      aFleet([{ name: 'a', type: 'large', pods: [web('p')] }], {
        pools: [willing({ consolidateAfterMs: MINUTE_MS })],
      }),
    );

    expect(decision.gone).toEqual(['a']);
    expect(decision.replacedBy).toContain('small');
  });

  it('keep the zone of pods with a spread constraint', () => {
    const spread = {
      key: ZONE,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      selector: aSelector(),
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    } as const;
    const spreading = (name: string) => web(name, 1.5, { topologySpread: [spread] });
    const decision = decide(
      aFleet([
        { name: 'a', zone: A, pods: [spreading('p-1')] },
        { name: 'b', zone: B, type: 'large', pods: [spreading('p-2')] },
        { name: 'c', zone: C, pods: [spreading('p-3')] },
      ]),
    );
    const [planned] = decision.command?.replacements ?? [];

    expect(decision.gone).toEqual(['b']);
    expect(planned?.cheapest.zone).toBe(B);
  });
});

describe('a consolidation command', () => {
  it('names its replacement after the decision and states the saving', () => {
    const { command } = decide(aFleet([{ name: 'a', type: 'large', pods: [web('p')] }]));

    expect(command).toMatchObject({
      id: 'decision-1',
      reason: 'Underutilized',
      decidedAt: NOON,
      candidates: ['a'],
    });
    expect(command?.validatedAt).toBeUndefined();
    expect(command?.savingHourlyUsd).toBeCloseTo(0.3);
    expect(command?.replacements[0]?.claim.decision).toBe('decision-1');
  });

  it('is the same for an equal snapshot', () => {
    const fleet = aFleet([{ name: 'a', pods: [web('p')] }, { name: 'b', pods: [web('q')] }, full]);

    expect(decide(structuredClone(fleet))).toEqual(decide(fleet));
  });

  it("is refused with the budget's name if the budget is used up", () => {
    const decision = decide(
      aFleet([{ name: 'a', pods: [web('p')] }, full], {
        pools: [willing({ budgets: [{ nodes: '0' }] })],
      }),
    );
    const verdict = decision.verdicts.find(({ claim }) => claim === 'a');

    expect(verdict?.reason).toMatchObject({
      code: 'budget-closed',
      fields: { reason: 'Underutilized', budget: '0', allowed: '0' },
    });
  });
});
