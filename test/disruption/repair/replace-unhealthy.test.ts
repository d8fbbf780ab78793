import { describe, expect, it } from 'vitest';
import type { NodeTrouble } from '../../../shared/model/nodes/node.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import {
  aFleet,
  aWillingPool,
  decide,
  type Fleet,
  type FleetNode,
  findStayReason,
  runningCommand,
  webs,
  willing,
} from '../fleet.ts';

const settings: DecisionSettings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, NodeRepair: true } };
/** No other method has anything to do. */
const quiet = (over: Fleet = {}): Fleet => ({ pools: [willing({ consolidateAfterMs: 'Never' })], settings, ...over });

const fault: NodeTrouble = { condition: 'Ready', status: 'False', since: NOON - 40 * MINUTE_MS };

const unhealthy = (name: string, over: Partial<FleetNode> = {}): FleetNode => ({
  name,
  ...over,
  node: { ready: false, troubles: [fault], ...over.node },
});
/** Full nodes, so that the pods of the unhealthy one need a new node. */
const full = (...names: readonly string[]): FleetNode[] => names.map((name) => ({ name, pods: webs(4, `on-${name}`) }));
const healthy = full('b', 'c', 'd', 'e');

describe('an unhealthy node', () => {
  it('is drained, within the time of its condition, when a new node is ready for its pods', () => {
    const { command } = decide(aFleet([unhealthy('a', { pods: webs(3, 'p') }), ...healthy], quiet()));

    expect(command).toMatchObject({
      reason: 'Unhealthy',
      candidates: ['a'],
      repair: { condition: 'Ready', status: 'False', since: fault.since, drainMs: 10 * MINUTE_MS },
    });
    expect(command?.replacements.flatMap(({ pods }) => pods)).toHaveLength(3);
  });

  it('goes without a new node if its pods fit on healthy nodes', () => {
    const { command } = decide(
      aFleet(
        [unhealthy('a', { pods: webs(1, 'p') }), { name: 'b', pods: webs(1, 'q') }, ...full('c', 'd', 'e')],
        quiet(),
      ),
    );

    expect(command).toMatchObject({ reason: 'Unhealthy', candidates: ['a'], replacements: [] });
    expect(command?.placements).toMatchObject([{ target: 'b' }]);
  });

  it('comes before every other reason to remove nodes', () => {
    const { command } = decide(
      aFleet([{ name: 'empty' }, unhealthy('a', { pods: webs(3, 'p') }), ...healthy], {
        pools: [aWillingPool()],
        settings,
      }),
    );

    expect(command).toMatchObject({ reason: 'Unhealthy', candidates: ['a'] });
  });

  it('stays while its pods can run nowhere else', () => {
    const fleet = aFleet([unhealthy('a', { pods: webs(3, 'p') }), ...healthy], quiet({ offerings: [] }));

    expect(decide(fleet).command).toBeUndefined();
    expect(findStayReason(decide(fleet), 'a')).toBe('pods-do-not-fit');
  });

  it('is not planned again while its command runs, which uses up the budget', () => {
    const pools = [willing({ consolidateAfterMs: 'Never', budgets: [{ nodes: '1', reasons: ['Unhealthy'] }] })];
    const nodes = [
      unhealthy('a', { pods: webs(3, 'p') }),
      unhealthy('b', { pods: webs(3, 'q') }),
      ...full(...'cdefghij'),
    ];
    const fleet = aFleet(nodes, quiet({ pools }));

    expect(decide(fleet).command?.candidates).toEqual(['a']);
    expect(decide(fleet, [runningCommand('a')]).command).toBeUndefined();
  });

  it('is left alone without the gate, and to the sweep in the legacy mode', () => {
    const nodes = [unhealthy('a', { pods: webs(3, 'p') }), ...healthy];
    const legacy: DecisionSettings = { ...settings, legacyNodeRepair: true };

    expect(decide(aFleet(nodes, quiet({ settings: DEFAULT_SETTINGS }))).command).toBeUndefined();
    expect(decide(aFleet(nodes, quiet({ settings: legacy }))).command).toBeUndefined();
  });

  const ofStaticPools: DecisionSettings = { ...settings, gates: { ...settings.gates, StaticCapacity: true } };

  it('of a static pool is replaced by one of the same template, whatever runs on it', () => {
    const pools = [{ ...willing({ consolidateAfterMs: 'Never' }), replicas: 5 }];
    const { command } = decide(aFleet([unhealthy('a'), ...healthy], quiet({ pools, settings: ofStaticPools })));

    expect(command).toMatchObject({ reason: 'Unhealthy', candidates: ['a'], placements: [] });
    expect(command?.replacements).toHaveLength(1);
  });

  it('of a static pool at its limit stays, because no replacement can come first', () => {
    const pools = [{ ...willing({ consolidateAfterMs: 'Never' }), replicas: 5, limits: { nodes: 5 } }];
    const fleet = aFleet([unhealthy('a'), ...healthy], quiet({ pools, settings: ofStaticPools }));

    expect(findStayReason(decide(fleet), 'a')).toBe('static-at-limit');
  });
});
