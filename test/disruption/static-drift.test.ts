import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import { planScaleDown } from '../../shared/disruption/scale-down.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { DEFAULT_GATES } from '../../shared/model/feature-gates.ts';
import type { NodePool } from '../../shared/model/node-pool.ts';
import { USUAL_SETTINGS } from '../../shared/model/settings.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aFleet, aWillingPool, type Machine, under, web } from './fleet.ts';

const settings = { ...USUAL_SETTINGS, gates: { ...DEFAULT_GATES, StaticCapacity: true } };

const drifted = (name: string): Machine => ({
  name,
  pods: [web(`p-${name}`, 1.5)],
  claim: {
    drift: { reason: 'NodePoolDrifted', text: 'changed', since: NOON - MINUTE_MS },
  },
});
const machines = ['a', 'b', 'c', 'd', 'e'].map(drifted);

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

/** Its pods are not told where to go: there is a node like theirs when they do. */
const look = (fleet: ClusterSnapshot, running: readonly string[] = []) =>
  planDisruption(fleet, running.length > 0 ? [under(...running)] : [], 'decision-1');

/** What goes in one look after the other, until none does; nothing gets ready meanwhile. */
function looks(one: NodePool, running: readonly string[] = []): readonly string[] {
  const fleet = aFleet(machines, { pools: [one], settings });
  // Each command under way has its replacement among the claims.
  const replacements = fleet.claims
    .filter(({ name }) => running.includes(name))
    .map(({ launch: _, ...claim }) => ({ ...claim, name: `new-${claim.name}` }));
  const { command } = look({ ...fleet, claims: [...fleet.claims, ...replacements] }, running);
  const [next] = command?.candidates ?? [];
  return next === undefined ? running : looks(one, [...running, next]);
}

describe('drifted nodes of a static pool (14.1)', () => {
  it('are replaced by one node of the template each, whatever runs on them', () => {
    const { command } = look(aFleet(machines, { pools: [pool({})], settings }));

    expect(command).toMatchObject({
      reason: 'Drifted',
      candidates: ['a'],
      placements: [],
    });
    expect(command?.replacements).toMatchObject([{ pods: [], claim: { pool: 'general' } }]);
  });

  it.each([
    ['22.9-150: budget 2', '2', {}, 2],
    ['22.9-150: budget 20 %', '20%', {}, 1],
    ['22.9-151: a limit of as many nodes as it has', '100%', { limits: { nodes: 5 } }, 0],
    ['22.9-151: a limit of one more', '100%', { limits: { nodes: 6 } }, 1],
    ['22.9-151: a limit of two more', '100%', { limits: { nodes: 7 } }, 2],
  ] as const)('%s', (_, budget, over, replaced) => {
    expect(looks(pool(over, budget))).toHaveLength(replaced);
  });

  it('22.9-152: wait until the pool is no larger than it should be', () => {
    const two = machines.slice(0, 2);
    const waiting = look(aFleet(two, { pools: [pool({ replicas: 1 })], settings }));
    const settled = look(aFleet(two.slice(1), { pools: [pool({ replicas: 1 })], settings }));

    expect(waiting.command).toBeUndefined();
    expect(waiting.verdicts[0]?.reason.code).toBe('static-too-large');
    expect(settled.command?.candidates).toEqual(['b']);
  });

  it('stay without the gate of static pools', () => {
    expect(look(aFleet(machines, { pools: [pool({})] })).command).toBeUndefined();
  });

  it('are not what a smaller number removes while they are being replaced', () => {
    const fleet = aFleet([...machines, { name: 'new' }], { pools: [pool({})], settings });

    expect(planScaleDown(fleet, new Set(['a']))).toEqual([]);
    expect(planScaleDown(fleet)).toEqual(['new']);
  });
});
