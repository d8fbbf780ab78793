import { describe, expect, it } from 'vitest';
import type { NodeTrouble } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
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

  describe('with a fault that a reboot ends', () => {
    const gpu: NodeTrouble = { ...fault, condition: 'AcceleratedHardwareReady', reason: 'NvidiaXID48Error' };
    const rebooting: DecisionSettings = { ...settings, gates: { ...settings.gates, RebootForRepair: true } };
    const broken = (over: Partial<NodeClaim> = {}, troubles = [gpu]): FleetNode => ({
      ...unhealthy('a', { pods: webs(3, 'p'), node: { troubles } }),
      claim: over,
    });
    const isReboot = (node: FleetNode, over: DecisionSettings = rebooting) =>
      decide(aFleet([node, ...healthy], quiet({ settings: over }))).command?.repair?.reboots ?? false;
    const past = (hours: number) => ({
      cause: 'x',
      requestedAt: NOON - hours * HOUR_MS,
      endedAt: NOON - hours * HOUR_MS,
    });

    it('is rebooted in place, without another node, if the gate is on', () => {
      const { command } = decide(aFleet([broken(), ...healthy], quiet({ settings: rebooting })));

      expect(command).toMatchObject({
        ...{ reason: 'Unhealthy', candidates: ['a'], replacements: [] },
        repair: { condition: 'AcceleratedHardwareReady', fault: 'NvidiaXID48Error', reboots: true },
      });
    });

    it.each<[string, FleetNode, DecisionSettings?]>([
      ['the gate is off', broken(), settings],
      ['it has another fault as well', broken({}, [gpu, fault])],
      ['the fault is fatal', broken({}, [{ ...gpu, reason: 'NvidiaXID79Error' }])],
      ['two reboots of the last day have not helped', broken({ reboots: [past(23), past(2)] })],
    ])('is replaced if %s', (_, node, over) => {
      expect(isReboot(node, over)).toBe(false);
      expect(decide(aFleet([node, ...healthy], quiet({ settings: over ?? rebooting }))).command).toMatchObject({
        candidates: ['a'],
      });
    });

    it('is rebooted again on the next day, and tolerated for ten minutes after a reboot', () => {
      expect(isReboot(broken({ reboots: [past(25), past(2)] }))).toBe(true);
      expect(isReboot(broken({ reboots: [past(0.1)] }))).toBe(false);
      expect(isReboot(broken({ reboots: [past(0.2)] }))).toBe(true);
    });

    it('is left alone while it reboots, receives the pods that it lost, and uses up the budgets of every reason', () => {
      const node = broken({ reboots: [{ cause: 'x', requestedAt: NOON }] });
      const budgets = [{ nodes: '1' }];
      const pools = [willing({ consolidateAfterMs: 0, policy: 'WhenEmpty', budgets })];
      const fleet = aFleet([node, { name: 'b' }, ...full('c', 'd', 'e')], { pools, settings: rebooting });

      expect(decide(fleet).command).toBeUndefined();
      expect(findStayReason(decide(fleet), 'b')).toBe('budget-exhausted');
    });
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
