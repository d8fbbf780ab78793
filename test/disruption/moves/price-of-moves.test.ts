import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCandidate } from '../../../shared/disruption/candidates.ts';
import {
  computeMaxReplacementUsd,
  computeMovePrice,
  explainMaxReplacement,
  findPriceObstacle,
} from '../../../shared/disruption/moves/price-of-moves.ts';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { PAYS_BACK_AT_ANNOTATION } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { formatInstant, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { prepareCluster } from '../../../shared/scheduling/removal/removal-state.ts';
import { aPodDisruptionBudget, aTypeOf, NOON } from '../../support/builders.ts';
import { aFleet, decide, type FleetNode, onDemand, web, webs } from '../fleet.ts';

/** `small` costs $0.10 per hour, `nano` $0.009. */
const NANO = aTypeOf('nano', 1, 4);
const CHEAP = {
  types: [aTypeOf('small', 2, 8), NANO],
  offerings: [...onDemand(aTypeOf('small', 2, 8)), ...onDemand(NANO, 0.009)],
};

const WATCHING_GROWTH: DecisionSettings = {
  ...DEFAULT_SETTINGS,
  growthWindowMs: 30 * MINUTE_MS,
  evictionCostUsd: 0.015,
};
const REPLACEMENT = { [PAYS_BACK_AT_ANNOTATION]: formatInstant(NOON + HOUR_MS) };

/** It may take pods, and stays itself. */
const target: FleetNode = {
  name: 'target',
  type: 'large',
  pods: [web('big', 3)],
  node: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
};

const findVerdict = (fleet: ClusterSnapshot, name: string) =>
  decide(fleet).verdicts.find(({ claim }) => claim === name);

const findReason = (decision: ReturnType<typeof decide>, name: string): string => {
  const verdict = decision.verdicts.find(({ claim }) => claim === name);
  return verdict ? formatReason(verdict.reason) : '';
};

describe('the price of a move', () => {
  it('keeps two pods in place that would save $0.009 per hour', () => {
    const nodes = [
      { name: 'small-saving', type: 'nano', pods: webs(2, 'p', 0.25) },
      { ...target, type: 'small', pods: [web('q', 1)] },
    ];
    const decision = decide(aFleet(nodes, CHEAP));

    expect(decision.gone).toEqual([]);
    expect(findReason(decision, 'small-saving')).toBe('a move would save $0.0090/h, needs $0.0100/h');
  });

  it('keeps a node whose pods cost more to move than it saves soon', () => {
    const many = { name: 'many', pods: webs(15, 'p', 0.1) };
    const decision = decide(aFleet([many, target]));

    expect(decision.gone).toEqual([]);
    expect(findReason(decision, 'many')).toBe(
      'a move of 15 pods would save $0.1000/h and pay back in 1h30m, more than 1h',
    );
  });

  it.each([
    ['with a longer payback', { consolidationPaybackMs: 2 * HOUR_MS }],
    ['if evictions cost less', { evictionCostUsd: 0.005 }],
    ['if moves have no price', { consolidationPaybackMs: 'Any' as const }],
  ])('moves the same pods %s', (_, over) => {
    const many = { name: 'many', pods: webs(15, 'p', 0.1) };
    const settings = { ...DEFAULT_SETTINGS, evictionCostUsd: 0.01, ...over };

    expect(decide(aFleet([many, target], { settings })).gone).toEqual(['many']);
  });

  it('is part of the command and of its reason', () => {
    const decision = decide(aFleet([{ name: 'few', pods: webs(2, 'p', 0.5) }, target]));

    expect(decision.command?.price).toEqual({
      evictions: 2,
      costUsd: 0.02,
      paybackMs: 12 * MINUTE_MS,
    });
    expect(findReason(decision, 'few')).toBe('removed: pods fit target, saves $0.1000/h, pays back in 12m');
  });

  it.each([
    ['have just started', { startedAt: NOON }, 0.04],
    ['took five minutes to start', { runningAt: NOON - HOUR_MS + 5 * MINUTE_MS }, 0.04],
    ['took an hour to start', { runningAt: NOON }, 0.06],
  ])('counts pods that %s', (_, over, costUsd) => {
    const pods = webs(2, 'p', 0.5).map((pod) => ({ ...pod, ...over }));

    expect(decide(aFleet([{ name: 'few', pods }, target])).command?.price?.costUsd).toBeCloseTo(costUsd);
  });

  it('is higher in namespaces whose pods are ranked for scale-downs', () => {
    const annotations = {
      'controller.kubernetes.io/pod-deletion-cost': '-1',
      'mortise.sh/on-surplus-node': 'true',
    };
    const costOf = (ranked: Partial<Pod>, settings: DecisionSettings = DEFAULT_SETTINGS) => {
      const big = { ...web('big', 3), ...ranked };
      const nodes = [
        { name: 'few', pods: webs(2, 'p', 0.5) },
        { ...target, pods: [big] },
      ];
      return decide(aFleet(nodes, { settings })).command?.price?.costUsd;
    };
    const { rankedEvictionCostUsd: _, ...explicit } = DEFAULT_SETTINGS;

    expect(costOf({})).toBeCloseTo(0.025);
    expect(costOf({ annotations })).toBeCloseTo(0.04);
    expect(costOf({ annotations, namespace: 'other' })).toBeCloseTo(0.025);
    expect(costOf({ annotations }, explicit)).toBeCloseTo(0.025);
  });

  it('counts the room of a PodDisruptionBudget that the move uses up', () => {
    const budget = (disruptionsAllowed: number) => ({
      podDisruptionBudgets: [aPodDisruptionBudget({ maxUnavailable: '50%', disruptionsAllowed })],
    });
    const pods = webs(2, 'p', 0.5).map((pod) => ({ ...pod, labels: { app: 'web' } }));
    const costOf = (allowed: number) =>
      decide(aFleet([{ name: 'few', pods }, target], budget(allowed))).command?.price?.costUsd;

    expect(costOf(2)).toBeCloseTo(0.04);
    expect(costOf(20)).toBeCloseTo(0.022);
  });

  /** A node that its pool launched for waiting pods. */
  const launched = (minutesAgo: number, claim: FleetNode['claim'] = {}): FleetNode => ({
    name: `launched-${minutesAgo}`,
    type: 'large',
    pods: [web(`on-launched-${minutesAgo}`, 8)],
    claim: {
      createdAt: NOON - minutesAgo * MINUTE_MS,
      initializedAt: NOON - minutesAgo * MINUTE_MS,
      expects: { 'rs-web': 1 },
      ...claim,
    },
  });
  const five = { name: 'five', pods: webs(5, 'p', 0.25) };
  const decideWith = (nodes: readonly FleetNode[], settings = WATCHING_GROWTH) =>
    decide(aFleet([five, target, ...nodes], { settings }));

  it('has to be paid back before a growing pool launches as much again', () => {
    const decision = decideWith([launched(5)]);

    expect(decision.gone).toEqual([]);
    // 30 min x $0.10/h x the used share, divided by the $0.1008/h of the launch.
    expect(findReason(decision, 'five')).toMatch(/pay back in 45m, more than 18m/);
  });

  it.each<[string, readonly FleetNode[], DecisionSettings?]>([
    ['launched nothing lately', [launched(31)]],
    ['launched nodes in one burst that is over', [launched(10), launched(15), launched(20)]],
    ['launched a node to save money', [launched(5, { annotations: REPLACEMENT })]],
    ['is not watched', [launched(5)], { ...DEFAULT_SETTINGS, growthWindowMs: 0 }],
  ])('may take longer if the pool %s', (_, nodes, settings) => {
    expect(decideWith(nodes, settings).gone).toContain('five');
  });

  it.each<[string, readonly FleetNode[]]>([
    ['whose burst goes on', [launched(9), launched(15), launched(19)]],
    ['that launches nodes over a longer time', [launched(10), launched(15), launched(21)]],
  ])('may not take longer in a pool %s', (_, nodes) => {
    expect(decideWith(nodes).gone).toEqual([]);
  });

  it('is told with the time from which it pays back, at which the node goes', () => {
    const ages = fc.record({
      pods: fc.integer({ min: 3, max: 9 }),
      podAge: fc.integer({ min: 0, max: 29 }),
      launches: fc.array(fc.integer({ min: 0, max: 29 }), { maxLength: 4 }),
    });
    let named = 0;
    fc.assert(
      fc.property(ages, ({ pods, podAge, launches }) => {
        const startedAt = NOON - podAge * MINUTE_MS;
        const young = { name: 'young', pods: webs(pods, 'p', 0.2).map((pod) => ({ ...pod, startedAt })) };
        const others = [...new Set(launches)].map((age) => launched(age, { expireAfterMs: 5 * HOUR_MS }));
        const fleet = aFleet([young, target, ...others], { settings: WATCHING_GROWTH });
        const until = Date.parse(findVerdict(fleet, 'young')?.reason.fields.until ?? '');
        if (Number.isNaN(until)) return;
        named += 1;
        expect(findVerdict({ ...fleet, takenAt: until }, 'young')?.outcome).toBe('goes');
        if (others.length > 0) return;
        expect(findVerdict({ ...fleet, takenAt: until - MINUTE_MS }, 'young')?.reason.code).toBe('not-paid-back');
      }),
      { numRuns: 60 },
    );
    expect(named).toBeGreaterThan(20);
  });

  it('does not count more saving than the node would still make', () => {
    const expiring = {
      name: 'expiring',
      pods: webs(5, 'p', 0.25),
      claim: { expireAfterMs: HOUR_MS + 20 * MINUTE_MS },
    };
    const decision = decide(aFleet([expiring, target]));

    expect(findReason(decision, 'expiring')).toMatch(/pay back in 30m, more than 20m$/);
  });
});

describe('the highest price of a replacement', () => {
  const problem = (pods: number) => prepareCluster(aFleet([{ name: 'node', pods: webs(pods, 'p', 0.1) }]));

  it('separates moves that pay back from those that do not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 99 }), (pods, price) => {
        const cluster = problem(pods);
        const candidates = listCandidates(cluster);
        const hourlyUsd = price / 1_000;
        const move = {
          candidates,
          replacements: [{ cheapest: { hourlyUsd } }],
          savingHourlyUsd: 0.1 - hourlyUsd,
        };
        const obstacle = findPriceObstacle(move, computeMovePrice(move, cluster), cluster);

        expect(hourlyUsd <= computeMaxReplacementUsd(candidates, cluster)).toBe(!obstacle);
        if (obstacle) {
          expect(explainMaxReplacement(candidates, hourlyUsd, cluster).reason).toEqual(obstacle);
        }
      }),
    );
  });

  it('is negative if a removal without a replacement does not pay back either', () => {
    expect(computeMaxReplacementUsd(listCandidates(problem(11)), problem(11))).toBeLessThan(0);
    expect(computeMaxReplacementUsd(listCandidates(problem(9)), problem(9))).toBeGreaterThan(0);
  });

  function listCandidates(cluster: ReturnType<typeof problem>) {
    const { pools } = cluster.snapshot;
    const input = {
      problem: cluster,
      pools: new Map(pools.map((pool) => [pool.name, pool])),
      busy: new Set<string>(),
    };
    return cluster.existingNodes.flatMap((node) => toCandidate(node, input) ?? []);
  }
});

describe('several commands of one decision', () => {
  const budget = (name: string, disruptionsAllowed: number) =>
    aPodDisruptionBudget({
      name,
      selector: { matchLabels: { app: name }, matchExpressions: [] },
      maxUnavailable: '50%',
      disruptionsAllowed,
    });
  const labelled = (app: string, name: string) => ({ ...web(name, 0.5), labels: { app } });

  it('touch different nodes, and none receives pods that it loses', () => {
    // Two kinds of nodes that cannot take each other's pods.
    const half = (name: string, arch: string): FleetNode => ({
      name,
      type: 'medium',
      pods: [web(`p-${name}`, 1, { nodeSelector: { arch } })],
      node: { labels: { ...labelsOf(name), arch } },
    });
    const nodes = ['a', 'b'].flatMap((arch) => [1, 2, 3].map((number) => half(`${arch}-${number}`, arch)));
    const { command, more = [] } = planDisruption(aFleet(nodes), [], 'decision-1');
    const commands = command ? [command, ...more] : [];
    const removed = commands.flatMap(({ candidates }) => candidates);
    const receiving = commands.flatMap(({ placements }) => placements.map((one) => one.target));

    expect(new Set(removed).size).toBe(removed.length);
    expect(removed).toHaveLength(4);
    expect(removed.filter((name) => receiving.includes(name))).toEqual([]);
    expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
  });

  it('do not move more pods of a PodDisruptionBudget than it allows together', () => {
    const nodes = [
      { name: 'a', pods: [labelled('web', 'p')] },
      { name: 'b', type: 'medium', pods: [labelled('web', 'q')] },
      { name: 'c', type: 'large', pods: [labelled('web', 'r')] },
    ];
    const fleet = aFleet(nodes, {
      podDisruptionBudgets: [budget('web', 1)],
      pools: aFleet([]).pools.map((pool) => ({
        ...pool,
        disruption: { ...pool.disruption, budgets: [{ nodes: '1' }] },
      })),
    });

    expect(planDisruption(fleet, [], 'decision-1').more).toBeUndefined();
  });
});

const labelsOf = (name: string) => aFleet([{ name, type: 'medium' }]).nodes[0]?.labels ?? {};
