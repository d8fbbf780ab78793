import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCommandEvent } from '../../../shared/controllers/disruption/command-event.ts';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatEvent } from '../../../shared/model/explanations/event-kinds.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aFleet, type Fleet, type FleetNode, runningCommand, web, webs, willing } from '../fleet.ts';

/** The pool has hours from 14:00 on; it is noon. */
const offPool = (over: Partial<NodePool> = {}, offHoursNodes = 0): NodePool => ({
  ...willing({ consolidateAfterMs: 'Never' }, 'dev'),
  hours: { windows: [{ schedule: '0 14 * * *', durationMs: 8 * HOUR_MS }], offHoursNodes },
  ...over,
});

const devNode = (name: string, pods: FleetNode['pods'] = [web(`p-${name}`)]): FleetNode => ({
  name,
  pool: 'dev',
  pods,
});

const KEPT = { 'karpenter.sh/do-not-disrupt': 'true' };

/** Decides without the check that every pod has a place: pods may have to wait for hours to begin. */
function decide(snapshot: ClusterSnapshot, running: readonly DisruptionCommand[] = []) {
  const { command, more = [], verdicts } = planDisruption(snapshot, running, 'd-1');
  const commands = command ? [command, ...more] : [];
  const gone = commands.flatMap(({ candidates }) => candidates).toSorted();
  return { command, commands, gone, verdicts };
}

const aDevFleet = (nodes: readonly FleetNode[], pool = offPool(), over: Fleet = {}) =>
  aFleet(nodes, { pools: [pool], ...over });

describe('a NodePool in its off hours', () => {
  it('loses its nodes, although their pods fit nowhere else', () => {
    const decision = decide(aDevFleet([devNode('a'), devNode('b')]));

    expect(decision.gone).toEqual(['a', 'b']);
    expect(decision.verdicts.map(({ reason }) => formatReason(reason))).toEqual([
      'removed: NodePool dev is in its off hours until 2026-01-01T13:55:00Z, at most 0 nodes; 1 of its pods fit nowhere else until then',
      'removed: NodePool dev is in its off hours until 2026-01-01T13:55:00Z, at most 0 nodes; 1 of its pods fit nowhere else until then',
    ]);
  });

  it('says in the Event of the command why the nodes go', () => {
    const snapshot = aDevFleet([devNode('a')]);
    const { command } = planDisruption(snapshot, [], 'd-1');

    expect(command && formatEvent(toCommandEvent(command, snapshot, NOON))).toBe(
      'Removing a: NodePool dev is in its off hours. 1 pod moves, or waits until hours begin. Saves $0.100/h.',
    );
  });

  it.each([
    ['keeps as many nodes as it may have', 1, ['a']],
    ['keeps all nodes if it may have them', 2, []],
  ])('%s: %i', (_, nodes, gone) => {
    const fleet = aDevFleet([devNode('b', webs(2, 'p')), devNode('a')], offPool({}, nodes));

    expect(decide(fleet).gone).toEqual(gone);
  });

  it('does not launch replacements of its own', () => {
    const drifted = {
      ...devNode('a'),
      claim: { drift: { reason: 'NodePoolDrifted', text: 'changed', since: NOON } } as const,
    };
    const { command } = decide(aDevFleet([drifted]));

    expect(command).toMatchObject({ candidates: ['a'], replacements: [], offHoursOf: 'dev' });
  });

  it('moves pods to nodes of other NodePools', () => {
    const other: FleetNode = { name: 'other', type: 'large' };
    const fleet = aDevFleet([devNode('a'), { ...other, pods: webs(1, 'q') }], offPool(), {
      pools: [offPool(), willing({ consolidateAfterMs: 'Never' })],
    });
    const { command } = decide(fleet);

    expect(command).toMatchObject({
      candidates: ['a'],
      replacements: [],
      placements: [{ target: 'other', pods: ['default/p-a'] }],
    });
  });

  it('moves pods to new nodes of other NodePools, which start first', () => {
    const fleet = aDevFleet([devNode('a')], offPool(), {
      pools: [offPool(), willing({ consolidateAfterMs: 'Never' })],
    });
    const { command } = decide(fleet);

    expect(command?.candidates).toEqual(['a']);
    expect(command?.replacements.map(({ claim }) => claim.pool)).toEqual(['general']);
  });

  it('moves no pods from one of its leaving nodes to another', () => {
    const { commands, gone } = decide(aDevFleet([devNode('a'), devNode('b', webs(1, 'q'))]));

    expect(gone).toEqual(['a', 'b']);
    expect(commands.flatMap(({ placements }) => placements)).toEqual([]);
  });

  it('loses the nodes first that are easiest to disrupt, one after the other within its budgets', () => {
    const disruption = { ...offPool().disruption, budgets: [{ nodes: '1' }] };
    const fleet = aDevFleet([devNode('a', webs(2, 'p')), devNode('b')], offPool({ disruption }));

    expect(decide(fleet).gone).toEqual(['b']);
    expect(decide(fleet, [runningCommand('b')]).gone).toEqual([]);
  });

  it('attracts no pods of other NodePools by consolidation', () => {
    const budgets = [{ nodes: '0' }];
    const pools = [offPool(willing({ budgets }, 'dev')), willing({})];
    const fleet = aDevFleet([devNode('a'), { name: 'x', pods: [web('q')] }], offPool(), { pools });

    expect(decide(fleet).gone).toEqual([]);
    const alwaysOn = pools.map(({ hours: _, ...pool }) => pool);
    expect(decide({ ...fleet, pools: alwaysOn }).gone).toEqual(['x']);
  });

  it.each<[string, FleetNode, string]>([
    ['a do-not-disrupt node', { ...devNode('a'), node: { annotations: KEPT } }, 'blocked-by-do-not-disrupt'],
    ['a do-not-disrupt pod', devNode('a', [{ ...web('p'), annotations: KEPT }]), 'blocked-by-do-not-disrupt'],
  ])('keeps %s', (_, node, code) => {
    const decision = decide(aDevFleet([node]));

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts.map(({ reason }) => reason.code)).toEqual([code]);
  });

  it('keeps a node that pods were planned onto, and says when it looks again', () => {
    const until = NOON + MINUTE_MS;
    const { verdicts } = decide({ ...aDevFleet([devNode('a')]), nominations: { a: until } });

    expect(verdicts).toMatchObject([
      { claim: 'a', outcome: 'stays', reason: { code: 'nominated' }, lookAgainAt: until },
    ]);
  });

  it('respects its budgets, and names the next window', () => {
    const budgets = [{ nodes: '0', schedule: '0 9 * * *', durationMs: 4 * HOUR_MS }];
    const decision = decide(aDevFleet([devNode('a')], offPool({ ...willing({ budgets }, 'dev') })));

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts.map(({ reason }) => formatReason(reason))).toEqual([
      'budget 0 allows no disruption for Underutilized, next window opens at 2026-01-01T13:00:00Z',
    ]);
  });

  it('counts nodes that commands remove already', () => {
    const fleet = aDevFleet([devNode('a'), devNode('b'), devNode('c')], offPool({}, 1));

    expect(decide(fleet, [runningCommand('a')]).gone).toEqual(['b']);
  });

  it('never loses more nodes than its budget allows, protected nodes, or nodes that it may have', () => {
    const anyNode = fc.record({ pods: fc.integer({ min: 0, max: 3 }), isKept: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(anyNode, { maxLength: 8 }),
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 0, max: 8 }),
        (sizes, offHoursNodes, budget) => {
          const nodes = sizes.map(({ pods, isKept }, index) => ({
            ...devNode(`n-${index}`, webs(pods, `p-${index}`, 0.5)),
            ...(isKept && { node: { annotations: KEPT } }),
          }));
          const disruption = { ...offPool().disruption, budgets: [{ nodes: `${budget}` }] };
          const { gone } = decide(aDevFleet(nodes, offPool({ disruption }, offHoursNodes)));
          const kept = nodes.filter(({ node }) => node !== undefined);
          const removable = nodes.length - Math.max(offHoursNodes, kept.length);

          expect(gone).toHaveLength(Math.max(0, Math.min(budget, removable)));
          expect(kept.filter(({ name }) => gone.includes(name))).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    ['five minutes before hours begin', NOON + 115 * MINUTE_MS],
    ['in its hours', NOON + 3 * HOUR_MS],
  ])('no longer loses nodes %s', (_, takenAt) => {
    expect(decide({ ...aDevFleet([devNode('a')]), takenAt }).gone).toEqual([]);
  });
});
