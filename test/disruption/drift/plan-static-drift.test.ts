import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import { planScaleDown } from '../../../shared/disruption/plan-scale-down.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { NodeClassState } from '../../../shared/model/nodes/drift.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { DisruptionPlan } from '../../../shared/model/plans.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aLaunch, NOON } from '../../support/builders.ts';
import { anImage } from '../../support/node-classes.ts';
import { aFleet, aWillingPool, type Fleet, type FleetNode, onDemand, runningCommand, TYPES, web } from '../fleet.ts';

const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, StaticCapacity: true } };

const drifted = (name: string): FleetNode => ({
  name,
  pods: [web(`p-${name}`, 1.5)],
  claim: {
    drift: { reason: 'NodePoolDrifted', text: 'changed', since: NOON - MINUTE_MS },
  },
});
const nodes = ['a', 'b', 'c', 'd', 'e'].map(drifted);

const pool = (over: Partial<NodePool>, budget = '100%'): NodePool =>
  aWillingPool({
    replicas: 5,
    disruption: {
      consolidateAfterMs: 0,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: budget }],
    },
    ...over,
  });

/** The NodeClass as it is now. */
const CHANGED: NodeClassState = {
  name: 'default',
  hash: 'h1',
  subnets: [],
  securityGroups: [],
  images: [anImage({ id: 'ami-new', requirements: [] })],
};

/** The plan without placements: pods of static pools get none. */
const decideOnce = (fleet: ClusterSnapshot, running: readonly string[] = []) =>
  planDisruption(fleet, running.length > 0 ? [runningCommand(...running)] : [], 'decision-1');

const OUT_OF_CAPACITY = TYPES.flatMap((type) => onDemand(type)).map((offering) => ({
  ...offering,
  until: NOON + MINUTE_MS,
}));

/** Claims that one decision removes. */
const goes = ({ command, more = [] }: DisruptionPlan): readonly string[] =>
  [...(command ? [command] : []), ...more].flatMap(({ candidates }) => candidates);

/**
 * Claims that repeated decisions remove until none is left to remove; no replacement becomes ready
 * meanwhile.
 */
function decideRepeatedly(one: NodePool, running: readonly string[] = []): readonly string[] {
  const fleet = aFleet(nodes, { pools: [one], settings });
  // The replacements of running commands are among the claims.
  const replacements = fleet.claims
    .filter(({ name }) => running.includes(name))
    .map(({ launch: _, ...claim }) => ({ ...claim, name: `new-${claim.name}` }));
  const next = goes(decideOnce({ ...fleet, claims: [...fleet.claims, ...replacements] }, running));
  return next.length === 0 ? running : decideRepeatedly(one, [...running, ...next]);
}

describe('static drift', () => {
  it("replaces each node by one of the pool's template, whatever runs on it", () => {
    const { command } = decideOnce(aFleet(nodes, { pools: [pool({})], settings }));

    expect(command).toMatchObject({
      reason: 'Drifted',
      candidates: ['a'],
      placements: [],
    });
    expect(command?.replacements).toMatchObject([{ pods: [], claim: { pool: 'general' } }]);
  });

  it.each([
    ['replaces two nodes with a budget of 2', '2', {}, 2],
    ['replaces one of five nodes with a budget of 20 %', '20%', {}, 1],
    ['replaces nothing at the node limit', '100%', { limits: { nodes: 5 } }, 0],
    ['replaces one node if the limit permits one more', '100%', { limits: { nodes: 6 } }, 1],
    ['replaces two nodes if the limit permits two more', '100%', { limits: { nodes: 7 } }, 2],
  ] as const)('%s', (_, budget, over, replaced) => {
    expect(decideRepeatedly(pool(over, budget))).toHaveLength(replaced);
    expect(goes(decideOnce(aFleet(nodes, { pools: [pool(over, budget)], settings })))).toHaveLength(replaced);
  });

  it('creates commands with their own replacement and id', () => {
    const { command, more = [] } = decideOnce(aFleet(nodes, { pools: [pool({})], settings }));

    const all = [...(command ? [command] : []), ...more];
    expect(all.map(({ id }) => id)).toEqual([
      'decision-1',
      'decision-1-2',
      'decision-1-3',
      'decision-1-4',
      'decision-1-5',
    ]);
    const replacements = all.flatMap((one) => one.replacements.map(({ claim }) => claim));
    expect(replacements.map(({ decision }) => decision)).toEqual(all.map(({ id }) => id));
    expect(new Set(replacements.map(({ name }) => name)).size).toBe(5);
  });

  it('replaces at most twenty nodes in one decision', () => {
    const many = Array.from({ length: 30 }, (_, index) => drifted(`n${index}`));
    const fleet = aFleet(many, { pools: [pool({ replicas: 30 })], settings });

    expect(goes(decideOnce(fleet))).toHaveLength(20);
  });

  it('begins with one node if no node has the current version', () => {
    const launch = aLaunch({ imageId: 'ami-old', nodeClassHash: 'h1' });
    const fleet = aFleet(
      nodes.map((one) => ({
        ...one,
        claim: { ...one.claim, launch: { ...launch, providerId: `aws:///i-${one.name}` } },
      })),
      { pools: [pool({})], settings, nodeClasses: [CHANGED] },
    );

    const plan = decideOnce(fleet);

    expect(goes(plan)).toEqual(['a']);
    expect(new Set(plan.verdicts.slice(1).map(({ reason }) => reason.code))).toEqual(new Set(['rollout-first-node']));
  });

  it('waits until the pool is not oversized', () => {
    const two = nodes.slice(0, 2);
    const waiting = decideOnce(aFleet(two, { pools: [pool({ replicas: 1 })], settings }));
    const decision = decideOnce(aFleet(two.slice(1), { pools: [pool({ replicas: 1 })], settings }));

    expect(waiting.command).toBeUndefined();
    expect(waiting.verdicts[0]?.reason.code).toBe('static-too-large');
    expect(decision.command?.candidates).toEqual(['b']);
  });

  it.each<[string, NodePool, Fleet, string]>([
    ['its NodePool is not ready', pool({ ready: false }), {}, 'not Ready: Ready, not reported yet'],
    ['nothing is offered', pool({}), { unavailable: OUT_OF_CAPACITY }, 'EC2 offers none of its types now'],
  ])('says why no replacement can be launched: %s', (_, one, over, why) => {
    const { command, verdicts } = decideOnce(aFleet(nodes, { pools: [one], settings, ...over }));

    expect(command).toBeUndefined();
    expect(new Set(verdicts.map(({ reason }) => formatReason(reason)))).toEqual(
      new Set([`NodePool general can launch no replacement: ${why}`]),
    );
  });

  it('needs the feature gate of static pools', () => {
    expect(decideOnce(aFleet(nodes, { pools: [pool({})] })).command).toBeUndefined();
  });

  it('does not remove nodes under replacement when replicas are reduced', () => {
    const fleet = aFleet([...nodes, { name: 'new' }], { pools: [pool({})], settings });

    expect(planScaleDown(fleet, new Set(['a']))).toEqual([]);
    expect(planScaleDown(fleet)).toEqual(['new']);
  });
});
