import { describe, expect, it } from 'vitest';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { CAPACITY_TYPE_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Offering } from '../../../shared/model/offerings/instance-type.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { NOON, ZONES } from '../../support/builders.ts';
import {
  aFleet,
  aWillingPool,
  type Decision,
  decide,
  type FleetNode,
  findStayReason,
  onDemand,
  priced,
  TYPES,
  web,
} from '../fleet.ts';

/** Spot costs a third. */
const offerings: readonly Offering[] = TYPES.flatMap((type) => [
  ...onDemand(type),
  ...ZONES.map((zone) => priced(type.name, 'spot', zone, (type.capacity.cpu ?? 0) / 60_000)),
]);
const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' } as const;
const sharing = (base: number, percentAboveBase = 0): NodePool =>
  aWillingPool({ onDemandShare: { base, percentAboveBase } });

const decideFor = (nodes: readonly FleetNode[], pool: NodePool = aWillingPool()): Decision =>
  decide(aFleet(nodes, { pools: [pool], offerings, settings }));

const spot = (name: string, pods: readonly Pod[], type = 'large'): FleetNode => ({
  name,
  type,
  pods,
  capacityType: 'spot',
});

const reasonOf = ({ verdicts }: Decision, name: string): string | undefined =>
  verdicts.flatMap(({ claim, reason }) => (claim === name ? [formatReason(reason)] : []))[0];

const capacityTypesOf = ({ command }: Decision): readonly (readonly string[] | undefined)[] =>
  (command?.replacements ?? []).map(
    ({ claim }) => claim.requirements.find(({ key }) => key === CAPACITY_TYPE_LABEL)?.values,
  );

describe('consolidation with a share of a NodePool on demand', () => {
  const nodes = [{ name: 'od', pods: [web('p', 1.5)] }, spot('full', [web('heavy', 7.5)])];

  it('replaces a node on demand by spot without one', () => {
    expect(capacityTypesOf(decideFor(nodes))).toEqual([['spot']]);
  });

  it('keeps the node on demand that the share needs, and says so', () => {
    const decision = decideFor(nodes, sharing(2));

    expect(decision.gone).toEqual([]);
    expect(reasonOf(decision, 'od')).toBe(
      'NodePool general keeps 2 vCPUs on demand: the move would leave 0 of 10, needs 2',
    );
  });

  it('keeps a node whose pods fit on spot nodes', () => {
    const roomy = [{ name: 'od', pods: [web('p', 1.5)] }, spot('roomy', [web('heavy', 6)])];

    expect(decideFor(roomy).gone).toEqual(['od']);
    expect(findStayReason(decideFor(roomy, sharing(2)), 'od')).toBe('on-demand-share');
  });

  it('replaces it by a smaller node on demand', () => {
    const large = [{ name: 'od', type: 'large', pods: [web('p', 1.5)] }, spot('roomy', [web('heavy', 6)])];
    const decision = decideFor(large, sharing(2));

    expect(decision.gone).toEqual(['od']);
    expect(capacityTypesOf(decision)).toEqual([['on-demand']]);
    expect(decision.replacedBy).toContain('small');
  });

  it('moves what is above the share', () => {
    const two = [{ name: 'od-2', pods: [web('q', 1.5)] }, ...nodes];

    expect(decideFor(two, sharing(2)).gone).toHaveLength(1);
  });

  it('removes empty nodes whatever the share is', () => {
    const empty = [{ name: 'od' }, spot('full', [web('heavy', 7.5)])];

    expect(decideFor(empty, sharing(2)).gone).toEqual(['od']);
  });

  it('allows moves that bring the share closer', () => {
    // 20 vCPUs with 8 on demand; half of them are asked for.
    const over = [
      { name: 'od', type: 'large', pods: [web('p', 6)] },
      spot('a', [web('q', 0.5)]),
      spot('b', [web('r', 0.5)], 'medium'),
    ];
    const decision = decideFor(over, sharing(0, 50));

    expect(decision.gone).not.toContain('od');
    expect(decision.gone).not.toEqual([]);
  });

  it('replaces a drifted node on demand by another one', () => {
    const drifted = [
      {
        name: 'od',
        pods: [web('p', 1.5)],
        claim: { drift: { reason: 'AMIDrift', text: 'another image', since: NOON } } as const,
      },
      spot('roomy', [web('heavy', 6)]),
    ];
    const decision = decideFor(drifted, sharing(2));

    expect(decision.command?.reason).toBe('Drifted');
    expect(capacityTypesOf(decision)).toEqual([['on-demand']]);
  });
});

describe('consolidation with a share of a workload on demand', () => {
  const shared = (name: string, cpus: number): Pod => ({
    ...web(name, cpus),
    annotations: { 'mortise.sh/on-demand-base': '1' },
  });

  it('keeps the pods on demand that the share needs, and says so', () => {
    const nodes = [{ name: 'od', pods: [shared('p', 1.5)] }, spot('roomy', [shared('q', 0.5), web('heavy', 5)])];
    const decision = decideFor(nodes);

    expect(decision.gone).toEqual([]);
    expect(reasonOf(decision, 'od')).toBe(
      'the workload of default/p keeps 1 pod on demand: the move would leave 0 of 2, needs 1',
    );
  });

  it('moves its pods if another one is on demand', () => {
    const nodes = [
      { name: 'od', pods: [shared('p', 1.5)] },
      { name: 'od-2', type: 'medium', pods: [shared('q', 3.5)] },
      spot('roomy', [web('heavy', 6)]),
    ];

    expect(decideFor(nodes).gone).not.toEqual([]);
  });

  it('replaces their node by a cheaper one on demand', () => {
    const nodes = [{ name: 'od', type: 'large', pods: [shared('p', 1.5)] }, spot('roomy', [web('heavy', 6)])];
    const decision = decideFor(nodes);

    expect(decision.gone).toEqual(['od']);
    expect(capacityTypesOf(decision)).toEqual([['on-demand']]);
  });
});
