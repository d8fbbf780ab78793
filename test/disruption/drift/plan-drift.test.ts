import { describe, expect, it } from 'vitest';
import { planDrift } from '../../../shared/disruption/drift/plan-drift.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodeClassState, StoppedRollout } from '../../../shared/model/nodes/drift.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import type { Pod, PodSpec, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { WORK_LIMITS } from '../../../shared/scheduling/input/work-limits.ts';
import { prepareCluster } from '../../../shared/scheduling/removal/removal-state.ts';
import { aLaunch, aNodeClaim, aSelector, aTypeOf, NOON, nodeLabels, ZONES } from '../../support/builders.ts';
import { anImage } from '../../support/node-classes.ts';
import {
  aFleet,
  decide,
  type Fleet,
  type FleetNode,
  findStayReason,
  runningCommand,
  TYPES,
  web,
  webs,
  willing,
} from '../fleet.ts';

const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

const drifted = (name: string, sinceMin: number, over: Partial<FleetNode> = {}): FleetNode => ({
  name,
  ...over,
  claim: {
    drift: { reason: 'NodePoolDrifted', text: 'changed', since: NOON - sinceMin * MINUTE_MS },
    ...over.claim,
  },
});
/** Disables consolidation, so that drift is the only method. */
const withoutConsolidation = (over: Fleet = {}): Fleet => ({
  pools: [willing({ consolidateAfterMs: 'Never' })],
  ...over,
});

const LABELS = { app: 'web' };

const aZoneSpread = (whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable']): Partial<PodSpec> => ({
  topologySpread: [
    {
      key: ZONE_LABEL,
      maxSkew: 1,
      whenUnsatisfiable,
      selector: aSelector(),
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    },
  ],
});

describe('drift replacement', () => {
  it('launches as many replacements as the pods need', () => {
    const [medium = aTypeOf('medium', 4, 16)] = TYPES.filter(({ name }) => name === 'small');
    const decision = decide(
      aFleet([drifted('a', 1, { type: 'large', pods: webs(3, 'p', 1.5) })], {
        ...withoutConsolidation(),
        types: [medium, aTypeOf('large', 8, 32)],
        offerings: [{ instanceType: 'small', zone: 'us-east-1a', capacityType: 'on-demand', hourlyUsd: 1 }],
      }),
    );

    expect(decision.command).toMatchObject({ reason: 'Drifted', candidates: ['a'] });
    expect(decision.command?.replacements).toHaveLength(3);
    expect(decision.command?.savingHourlyUsd).toBeLessThan(0);
  });

  it('starts with nodes without pods, even if they drifted last', () => {
    const decision = decide(aFleet([drifted('a', 9, { pods: [web('p')] }), drifted('b', 1)], withoutConsolidation()));

    expect(decision.gone).toEqual(['b']);
    expect(decision.command?.replacements).toEqual([]);
  });

  it('continues with the node that drifted first', () => {
    const decision = decide(
      aFleet([drifted('a', 1, { pods: [web('p')] }), drifted('b', 9, { pods: [web('q')] })], withoutConsolidation()),
    );

    expect(decision.gone).toEqual(['b']);
  });

  it('skips a node whose pods fit nowhere', () => {
    const decision = decide(
      aFleet(
        [drifted('a', 9, { type: 'huge', pods: [web('giant', 150)] }), drifted('b', 1, { pods: [web('q')] })],
        withoutConsolidation(),
      ),
    );

    expect(findStayReason(decision, 'a')).toBe('pods-do-not-fit');
    expect(decision.gone).toEqual(['b']);
  });

  it('follows the removal of empty nodes', () => {
    const decision = decide(aFleet([drifted('a', 9, { pods: [web('p')] }), { name: 'b' }]));

    expect(decision.command).toMatchObject({ reason: 'Empty', candidates: ['b'] });
  });

  it('precedes consolidation', () => {
    const decision = decide(
      aFleet([drifted('a', 9, { pods: [web('p')] }), { name: 'b', type: 'large', pods: [web('q')] }]),
    );

    expect(decision.command).toMatchObject({ reason: 'Drifted', candidates: ['a'] });
  });

  it('avoids moving pods to other drifted nodes if there is room elsewhere', () => {
    const decision = decide(
      aFleet(
        [
          drifted('a', 9, { pods: [web('p')] }),
          drifted('b', 1, { type: 'large', pods: [web('q')] }),
          { name: 'c', pods: [web('r')] },
        ],
        withoutConsolidation(),
      ),
    );

    expect(decision.command?.placements).toEqual([{ target: 'c', pods: ['default/p'] }]);
  });

  it('replaces nodes without a price', () => {
    const decision = decide(
      aFleet([drifted('a', 9, { type: 'old', pods: [web('p')] })], withoutConsolidation({ types: TYPES })),
    );

    expect(decision.gone).toEqual(['a']);
  });

  it.each([
    ['prefer to be', 'ScheduleAnyway'],
    ['must be', 'DoNotSchedule'],
  ] as const)('launches one node in the same zone for pods that %s in several zones', (_, rule) => {
    const [here, ...elsewhere] = ZONES;
    const spread = (name: string): Pod => ({ ...web(name, 1, aZoneSpread(rule)), labels: LABELS });
    const pods = (node: string): Pod[] => [0, 1, 2].map((index) => spread(`${node}-${index}`));
    const others = elsewhere.map((zone) => ({
      name: zone,
      zone,
      type: 'medium',
      pods: pods(zone),
    }));

    const { command } = decide(
      aFleet(
        [drifted('a', 1, { type: 'medium', pods: [...pods('a'), spread('extra')] }), ...others],
        withoutConsolidation(),
      ),
    );

    expect(command?.replacements.map(({ cheapest }) => cheapest.zone)).toEqual([here]);
    expect(command?.replacements[0]?.pods).toHaveLength(4);
  });

  it('launches a second node elsewhere for those pods that the spread allows in the zone no more', () => {
    const [here, ...elsewhere] = ZONES;
    const required = aZoneSpread('DoNotSchedule');
    const pods = (node: string, count: number): Pod[] =>
      Array.from({ length: count }, (_, index) => ({
        ...web(`${node}-${index}`, 1.5, required),
        labels: LABELS,
      }));
    const others = elsewhere.map((zone, index) => ({
      name: zone,
      zone,
      type: index === 0 ? 'medium' : 'large',
      pods: pods(zone, index === 0 ? 2 : 3),
    }));

    const { command } = decide(
      aFleet([drifted('a', 1, { type: 'large', pods: pods('a', 4) }), ...others], withoutConsolidation()),
    );

    expect(command?.replacements.map(({ cheapest, pods: planned }) => [cheapest.zone, planned.length])).toEqual([
      [here, 3],
      [elsewhere[0], 1],
    ]);
  });

  describe('of nodes whose pods fit on one node together', () => {
    const two = [drifted('a', 9, { pods: [web('p', 1)] }), drifted('b', 1, { pods: [web('q', 1)] })];
    const replacement: FleetNode = { name: 'c', pods: [web('p', 1)] };

    it('launches that node for the first', () => {
      const { command } = decide(aFleet(two, withoutConsolidation()));

      expect(command?.candidates).toEqual(['a']);
      expect(command?.replacements).toMatchObject([
        { claim: { requests: { cpu: 2000 } }, pods: ['default/p'], cheapest: { hourlyUsd: 0.1 } },
      ]);
    });

    it('launches a node for each in different zones', () => {
      const [first = drifted('a', 9), second = drifted('b', 1)] = two;
      const fleet = aFleet([first, { ...second, zone: ZONES[1] }], withoutConsolidation());

      expect(decide(fleet).command?.replacements).toMatchObject([{ claim: { requests: { cpu: 1000 } } }]);
    });

    it('waits with the second until that node is ready', () => {
      const [, second = drifted('b', 1)] = two;
      const { nodes, claims, ...fleet } = aFleet([second, replacement], withoutConsolidation());
      const isOld = ({ name }: { readonly name: string }): boolean => name !== 'c';
      const underWay = claims.map((claim) => {
        if (isOld(claim)) return claim;
        const { initializedAt: _, registeredAt: __, nodeName: ___, ...started } = claim;
        return started;
      });

      const decision = decide({
        ...fleet,
        nodes: nodes.filter(isOld),
        claims: underWay,
        pods: fleet.pods.filter(({ nodeName }) => nodeName !== 'c'),
      });

      expect(findStayReason(decision, 'b')).toBe('launch-under-way');
    });

    it('then moves the pods of the second without another node', () => {
      const [, second = drifted('b', 1)] = two;
      const { command } = decide(aFleet([second, replacement], withoutConsolidation()));

      expect(command).toMatchObject({
        candidates: ['b'],
        replacements: [],
        placements: [{ target: 'c', pods: ['default/q'] }],
      });
    });
  });

  it('names the drift in its reason', () => {
    const [verdict] = decide(aFleet([drifted('a', 1)], withoutConsolidation())).verdicts;

    expect(verdict?.reason).toEqual({
      code: 'drifted',
      fields: { claim: 'a', drift: 'NodePoolDrifted', text: 'changed' },
    });
  });
});

describe('a drifted node', () => {
  const guarded = web('p', 0.5);
  const pod = { ...guarded, annotations: { [DO_NOT_DISRUPT]: 'true' } };
  const graceful: Partial<NodeClaim> = { terminationGracePeriodMs: 5 * MINUTE_MS };

  it('stays because of a protected pod, unless it has a terminationGracePeriod', () => {
    const without = decide(aFleet([drifted('a', 1, { pods: [pod] })], withoutConsolidation()));
    const within = decide(
      aFleet(
        [drifted('a', 1, { pods: [pod], claim: { ...drifted('a', 1).claim, ...graceful } })],
        withoutConsolidation(),
      ),
    );

    expect(findStayReason(without, 'a')).toBe('blocked-by-do-not-disrupt');
    expect(within.gone).toEqual(['a']);
    // The pod is deleted at the deadline, so that no room is reserved for it.
    expect(within.command?.replacements).toEqual([]);
  });

  it('is protected from consolidation even with a terminationGracePeriod', () => {
    const machine = { name: 'a', pods: [pod], claim: graceful };

    expect(findStayReason(decide(aFleet([machine])), 'a')).toBe('blocked-by-do-not-disrupt');
  });

  it('stays because of do-not-disrupt on the node, even with a terminationGracePeriod', () => {
    const node = { annotations: { [DO_NOT_DISRUPT]: 'true' } };
    const machine = drifted('a', 1, { node, claim: { ...drifted('a', 1).claim, ...graceful } });

    expect(findStayReason(decide(aFleet([machine], withoutConsolidation())), 'a')).toBe('blocked-by-do-not-disrupt');
  });

  it.each([
    ['1', [], ['a'], undefined],
    ['1', ['b'], [], 'budget-exhausted'],
    ['2', ['b'], ['a'], undefined],
    ['0', [], [], 'budget-closed'],
  ])('with a budget of %s and %j in progress may be followed by %j', (nodes, going, gone, reason) => {
    const pools = [willing({ consolidateAfterMs: 'Never', budgets: [{ nodes, reasons: ['Drifted'] }] })];
    const machines = ['a', 'b', 'c'].map((name) => drifted(name, 1, { pods: [web(`p-${name}`)] }));
    const decision = decide(aFleet(machines, { pools }), going.length > 0 ? [runningCommand(...going)] : []);

    expect(decision.gone).toEqual(gone);
    expect(findStayReason(decision, 'c')).toBe(reason);
  });

  it('waits while its pool backs off after a failure; other pools continue', () => {
    const pools = ['general', 'other'].map((name) => willing({ consolidateAfterMs: 'Never' }, name));
    const decision = decide(
      aFleet([drifted('a', 9), drifted('b', 1, { pool: 'other' })], {
        pools,
        driftRests: { general: NOON + 1, other: NOON },
      }),
    );

    expect(findStayReason(decision, 'a')).toBe('drift-backoff');
    expect(decision.gone).toEqual(['b']);
  });

  it('is not repacked if its pool is static', () => {
    const pools = [{ ...willing({ consolidateAfterMs: 0 }), replicas: 0 }];

    expect(decide(aFleet([drifted('a', 1, { pods: [web('p')] })], { pools })).gone).toEqual([]);
  });
});

describe('the rollout of a changed image', () => {
  const nodeClass = (stopped?: StoppedRollout): NodeClassState => ({
    name: 'default',
    hash: 'h1',
    subnets: [],
    securityGroups: [],
    images: [anImage({ id: 'ami-new', requirements: [] })],
    ...(stopped && { stopped }),
  });
  const madeOf = (imageId: string, name: string): Partial<NodeClaim> => ({
    launch: aLaunch({
      providerId: `aws:///i-${name}`,
      instanceType: 'small',
      hourlyUsd: 0.1,
      labels: nodeLabels({ 'node.kubernetes.io/instance-type': 'small' }),
      imageId,
      nodeClassHash: 'h1',
      nodeClassHashVersion: 's1',
    }),
  });
  const old = (name: string): FleetNode =>
    drifted(name, 1, {
      pods: [web(`p-${name}`, 1.5)],
      claim: {
        ...madeOf('ami-old', name),
        drift: { reason: 'AMIDrift', text: 'image', since: NOON - HOUR_MS },
      },
    });
  const fresh = (name: string, node: Partial<Node> = {}): FleetNode => ({
    name,
    pods: [web(`p-${name}`, 1.5)],
    claim: madeOf('ami-new', name),
    node,
  });
  const lost = (name: string): FleetNode => fresh(name, { ready: false });
  const trial: DisruptionCommand = {
    ...runningCommand('a'),
    reason: 'Drifted',
    replacements: [
      {
        claim: aNodeClaim({ name: 'trial' }),
        pods: [],
        cheapest: {
          instanceType: 'small',
          zone: 'us-east-1a',
          capacityType: 'on-demand',
          hourlyUsd: 0.1,
        },
      },
    ],
  };
  const decideOnce = (machines: readonly FleetNode[], state = nodeClass(), running: DisruptionCommand[] = []) =>
    decide(aFleet(machines, withoutConsolidation({ nodeClasses: [state] })), running);

  it('begins with one node', () => {
    expect(decideOnce([old('a'), old('b')]).gone).toEqual(['a']);
  });

  it('waits until that node is ready', () => {
    const decision = decideOnce([old('a'), old('b'), old('c')], nodeClass(), [trial]);

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'b')).toBe('rollout-first-node');
  });

  it('continues in parallel once one node is ready', () => {
    expect(decideOnce([old('a'), old('b'), fresh('c')], nodeClass(), [trial]).gone).toEqual(['b']);
  });

  it('pauses while the node that was ready is NotReady', () => {
    const decision = decideOnce([old('a'), old('b'), lost('c')]);

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts.map(({ reason }) => reason)).toContainEqual({
      code: 'rollout-nodes-not-ready',
      fields: { nodeClass: 'default', image: 'ami-new', lost: '1', nodes: '1' },
    });
  });

  it.each([
    ['one of four pauses', 3, []],
    ['one of five does not pause', 4, ['a']],
  ])('pauses by the share of its nodes that became NotReady: %s', (_, ready, gone) => {
    const others = ['c', 'd', 'e', 'f'].slice(0, ready).map((name) => fresh(name));

    expect(decideOnce([old('a'), old('b'), lost('x'), ...others]).gone).toEqual(gone);
  });

  it('does not pause because of failing nodes of the old image', () => {
    const machine = { ...old('x'), node: { ready: false } };

    expect(decideOnce([old('a'), machine, fresh('c')]).gone).toHaveLength(1);
  });

  it('stops with a reason if the node does not become ready', () => {
    const stopped = {
      nodeClass: 'default',
      version: 'ami-new/h1',
      claim: 'trial',
      why: 'trial did not register',
      at: NOON,
    };
    const decision = decideOnce([old('a'), old('b')], nodeClass(stopped));

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts.map(({ reason }) => reason)).toContainEqual({
      code: 'rollout-stopped',
      fields: { nodeClass: 'default', image: 'ami-new', why: 'trial did not register' },
    });
  });

  it('starts again with another image or another class', () => {
    const stopped = { nodeClass: 'default', version: 'ami-bad/h1', claim: 'x', why: 'y', at: NOON };

    expect(decideOnce([old('a')], nodeClass(stopped)).gone).toEqual(['a']);
  });

  it('does not hold back nodes that have the image already', () => {
    const machine = {
      ...fresh('a'),
      claim: { ...madeOf('ami-new', 'a'), ...drifted('a', 1).claim },
    };

    expect(decideOnce([machine, old('b')], nodeClass(), [{ ...trial, candidates: ['b'] }]).gone).toEqual(['a']);
  });
});

describe('a plan with many drifted nodes that cannot be replaced', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const LIMIT = WORK_LIMITS.allReplacements;

  /** Plans after other nodes have taken this many operations, and lists the verdicts in order. */
  function planAfter(operations: number, takenAt = NOON) {
    const full = NAMES.map((name, index) => drifted(name, 60 - index, { pods: [web(`p-${name}`, 1.5)] }));
    const fleet = { ...aFleet(full, withoutConsolidation({ offerings: [] })), takenAt };
    const problem = prepareCluster(fleet);
    problem.work.spend(operations - problem.work.spent());
    const { verdicts } = planDrift({
      ...{ problem, snapshot: fleet, pools: new Map(fleet.pools.map((pool) => [pool.name, pool])) },
      ...{ running: [], busy: new Set(), decision: 'd-1', openLaunches: [] },
    });
    return {
      names: verdicts.map(({ claim }) => claim),
      reasons: new Set(verdicts.map(({ reason }) => reason.fields.firstReason)),
    };
  }

  it('starts with the nodes that drifted first', () => {
    expect(planAfter(0).names).toEqual(NAMES);
  });

  it('looks at the others in an order that differs from plan to plan once half of its work is done', () => {
    const [first, second] = [planAfter(LIMIT / 2), planAfter(LIMIT / 2, NOON + 1)];

    expect(first.names.toSorted()).toEqual(NAMES);
    expect(second.names.toSorted()).toEqual(NAMES);
    expect(new Set([NAMES, first.names, second.names].map(String)).size).toBe(3);
  });

  it('leaves nodes to the next plan once its work is done', () => {
    expect([...planAfter(LIMIT / 2).reasons]).toEqual(['requirements leave none of 3 types']);
    expect([...planAfter(LIMIT).reasons]).toEqual(['one of 1 pods that the next plan looks at']);
  });
});
