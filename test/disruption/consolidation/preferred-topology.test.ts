import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL } from '../../../shared/model/labels.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { aSelector, ZONES } from '../../support/builders.ts';
import { aFleet, decide, type Fleet, type FleetNode, findStayReason, onDemand, priced, TYPES, web } from '../fleet.ts';

const SPREAD: Partial<PodSpec> = {
  topologySpread: [
    {
      key: HOSTNAME_LABEL,
      maxSkew: 1,
      whenUnsatisfiable: 'ScheduleAnyway',
      selector: aSelector(),
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    },
  ],
};
const APART: Partial<PodSpec> = {
  preferredPodAntiAffinity: [
    {
      weight: 1,
      term: { key: HOSTNAME_LABEL, selector: aSelector(), matchLabelKeys: [], namespaces: [] },
    },
  ],
};

const aPod = (name: string, preference: Partial<PodSpec>) => ({
  ...web(name, 0.75, preference),
  labels: { app: 'web' },
});

/** A node of 8 CPUs; its two pods need 1.5, and prefer to be on different nodes. */
const sharedBy = (preference: Partial<PodSpec>): FleetNode => ({
  name: 'shared',
  type: 'large',
  pods: [aPod('one', preference), aPod('two', preference)],
});

const aSharedNode = (over: Fleet = {}, preference = SPREAD): ClusterSnapshot => aFleet([sharedBy(preference)], over);

describe('a node whose pods prefer to be on different nodes', () => {
  it.each([
    ['spread', SPREAD],
    ['anti-affinity', APART],
  ])('is replaced by one smaller node for all of them (%s)', (_, preference) => {
    const decision = decide(aSharedNode({}, preference));

    expect(decision.gone).toEqual(['shared']);
    expect(decision.command?.replacements).toHaveLength(1);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(0.3);
  });

  it('is replaced in its zone, so that the pods are spread over zones as they are now', () => {
    const offerings = [...TYPES.flatMap((type) => onDemand(type)), priced('small', 'on-demand', ZONES[1], 0.01)].filter(
      ({ instanceType, zone, hourlyUsd }) => instanceType !== 'small' || zone !== ZONES[1] || hourlyUsd === 0.01,
    );

    const { command } = decide(aSharedNode({ offerings }));

    expect(command?.replacements.map(({ cheapest }) => cheapest.zone)).toEqual([ZONES[0]]);
  });

  it('is not merged with another node, which would bring more of them together', () => {
    const other: FleetNode = { name: 'other', type: 'large', pods: [aPod('three', SPREAD)] };
    const { command } = decide(aFleet([sharedBy(SPREAD), other]));

    expect(command?.candidates).toHaveLength(1);
    expect(command?.placements).toEqual([]);
  });

  it('stays if the rule is required', () => {
    const [rule] = SPREAD.topologySpread ?? [];
    const required = rule ? [{ ...rule, whenUnsatisfiable: 'DoNotSchedule' as const }] : [];
    const decision = decide(aSharedNode({}, { topologySpread: required }));

    expect(findStayReason(decision, 'shared')).toBe('no-cheaper-replacement');
  });

  it('stays if moves have no price, as in Karpenter', () => {
    const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' as const };

    expect(decide(aSharedNode({ settings })).gone).toEqual([]);
  });
});
