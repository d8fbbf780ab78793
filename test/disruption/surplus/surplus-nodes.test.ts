import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import {
  DO_NOT_DISRUPT_ANNOTATION,
  ON_SURPLUS_NODE_ANNOTATION,
  POD_DELETION_COST_ANNOTATION,
} from '../../../shared/model/labels.ts';
import type { DisruptionPlan } from '../../../shared/model/plans.ts';
import { SURPLUS_TAINT } from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_SETTINGS, type SURPLUS_NODE_POLICIES } from '../../../shared/model/settings.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, NOON } from '../../support/builders.ts';
import { aFleet, aWillingPool, type Fleet, type FleetNode, web, willing } from '../fleet.ts';

/** No budget, so that no command hides what is surplus. */
const pools = [willing({ budgets: [{ nodes: '0' }] })];

const planSurplus = (
  nodes: readonly FleetNode[],
  over: Fleet,
  surplusNodes: (typeof SURPLUS_NODE_POLICIES)[number],
): DisruptionPlan => {
  const snapshot: ClusterSnapshot = aFleet(nodes, {
    pools,
    settings: { ...DEFAULT_SETTINGS, surplusNodes },
    ...over,
  });
  return planDisruption(snapshot, [], 'd');
};

const findSurplus = (nodes: readonly FleetNode[], over: Fleet = {}) => planSurplus(nodes, over, 'Taint').surplus;

const findCosts = (nodes: readonly FleetNode[], over: Fleet = {}) =>
  planSurplus(nodes, over, 'TaintAndPodDeletionCost').podDeletionCosts;

/** A large node of 8 CPUs of which pods request some. */
const used = (name: string, cpus: number, over: Partial<FleetNode> = {}): FleetNode => ({
  name,
  type: 'large',
  pods: cpus > 0 ? [web(`on-${name}`, cpus)] : [],
  ...over,
});
/** Ten nodes, nine of which have an eighth of their room left. */
const withNine = (first: FleetNode): readonly FleetNode[] => [
  first,
  ...Array.from({ length: 9 }, (_, index) => used(`full-${index}`, 7)),
];

describe('surplus nodes', () => {
  it('are the least used ones whose pods have room on the others of the pool', () => {
    expect(findSurplus(withNine(used('idle', 1)))).toEqual(['idle']);
  });

  it('are found if their pods do not allow evictions, for they may end by themselves', () => {
    const annotations = { [DO_NOT_DISRUPT_ANNOTATION]: 'true' };
    const kept = used('idle', 0, { pods: [{ ...web('job', 1), annotations }] });
    expect(findSurplus(withNine(kept))).toEqual(['idle']);
  });

  it('are at most three tenths of the pool', () => {
    const nodes = Array.from({ length: 10 }, (_, index) => used(`idle-${index}`, 1));
    expect(findSurplus(nodes)).toHaveLength(3);
  });

  it.each<[string, readonly FleetNode[], Fleet]>([
    [
      'the others lack room',
      withNine(used('idle', 1)).map((node) => ({ ...node, pods: [web(`on-${node.name}`, 7.9)] })),
      {},
    ],
    ['it is the only one in its zone', withNine(used('idle', 1, { zone: 'us-east-1b' })), {}],
    [
      'a user protects it',
      withNine(used('idle', 1, { node: { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } } })),
      {},
    ],
    ['pods are expected on it', withNine(used('idle', 1)), { nominations: { idle: NOON + MINUTE_MS } }],
    ['it has just become ready', withNine(used('idle', 1, { claim: { initializedAt: NOON - MINUTE_MS } })), {}],
    ['its pool does not consolidate', withNine(used('idle', 1)), { pools: [willing({ consolidateAfterMs: 'Never' })] }],
    ['the number of nodes is fixed', withNine(used('idle', 1)), { pools: [aWillingPool({ replicas: 10 })] }],
  ])('do not include a node if %s', (_, nodes, over) => {
    expect(findSurplus(nodes, over)).not.toContain('idle');
  });

  it('stay surplus although another node is used a little less', () => {
    const tainted = used('tainted', 2, { node: { taints: [SURPLUS_TAINT] } });
    // The pods of both would not fit.
    const full = Array.from({ length: 8 }, (_, index) => used(`full-${index}`, 7.6));
    expect(findSurplus([tainted, used('idle', 1), ...full])).toEqual(['tainted']);
  });

  it('stay what they are while their pool launches nodes', () => {
    const tainted = used('tainted', 7, { node: { taints: [SURPLUS_TAINT] } });
    const claims = [aNodeClaim({ name: 'new', pool: 'general' })];
    expect(findSurplus([...withNine(used('idle', 1)), tainted], { claims })).toEqual(['tainted']);
  });

  it('are not looked for unless the settings say so', () => {
    expect(planSurplus(withNine(used('idle', 1)), {}, 'Ignore')).not.toHaveProperty('surplus');
  });

  it('receive pods in a plan as if they had no taint', () => {
    const tainted = used('tainted', 4, { node: { taints: [SURPLUS_TAINT] } });
    const snapshot = aFleet([tainted, used('idle', 3.5)], { settings: DEFAULT_SETTINGS });
    expect(planDisruption(snapshot, [], 'd').command?.placements.map(({ target }) => target)).toEqual(['tainted']);
  });
});

/** Four nodes with less and less waste. */
const FOUR = [1, 3, 5, 7].map((cpus) => used(`uses-${cpus}`, cpus));

const withCost = (name: string, cpus: number, cost: string): FleetNode => ({
  ...used(name, 0),
  pods: [
    {
      ...web(`on-${name}`, cpus),
      annotations: {
        [POD_DELETION_COST_ANNOTATION]: cost,
        [ON_SURPLUS_NODE_ANNOTATION]: 'true',
      },
    },
  ],
});

describe('deletion costs of pods', () => {
  it('are lower, the more their node wastes', () => {
    expect(findCosts(FOUR)).toEqual({ 'uses-1': -3, 'uses-3': -2, 'uses-5': -1 });
  });

  it('are lower, the fewer pods have to end until the node is empty', () => {
    const pods = Array.from({ length: 4 }, (_, index) => web(`of-four-${index}`, 0.25));
    expect(findCosts([used('four', 0, { pods }), used('one', 1)])).toEqual({ one: -3 });
  });

  it('stay if the rank of the node changes a little', () => {
    const nodes = [withCost('a', 2, '-2'), withCost('b', 1, '-1'), used('c', 6), used('d', 7)];
    expect(findCosts(nodes)).toMatchObject({ a: -2 });
  });

  it('change if the rank of the node changes much', () => {
    const nodes = [withCost('a', 7, '-3'), used('b', 1), used('c', 2), used('d', 6)];
    expect(findCosts(nodes)).not.toHaveProperty('a');
  });

  it('stay while the pool launches nodes', () => {
    const claims = [aNodeClaim({ name: 'new', pool: 'general' })];
    expect(findCosts([withCost('a', 7, '-3'), used('b', 1)], { claims })).toEqual({ a: -3 });
  });

  it('are not changed on nodes that their user protects', () => {
    const annotations = { [DO_NOT_DISRUPT_ANNOTATION]: 'true' };
    const [first, ...others] = FOUR;
    expect(findCosts([{ ...first, name: 'uses-1', node: { annotations } }, ...others])).not.toHaveProperty('uses-1');
  });
});
