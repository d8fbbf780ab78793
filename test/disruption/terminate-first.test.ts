import { describe, expect, it } from 'vitest';
import { RESERVATION_ID_LABEL } from '../../shared/model/labels.ts';
import type { NodeClassState } from '../../shared/model/nodes/drift.ts';
import type { Offering } from '../../shared/model/offerings/instance-type.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS, type FeatureGates } from '../../shared/model/settings.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { aLaunch, NOON } from '../support/builders.ts';
import { aFleet, decide, type Fleet, type FleetNode, findStayReason, priced, webs, willing } from './fleet.ts';

const drift = { reason: 'NodePoolDrifted', text: 'changed', since: NOON - MINUTE_MS } as const;
const troubles = [{ condition: 'Ready', status: 'False', since: NOON - 40 * MINUTE_MS }] as const;

type Fault = 'drifted' | 'unhealthy';
const withFault = (fault: Fault, node: FleetNode): FleetNode =>
  fault === 'drifted'
    ? { ...node, claim: { ...node.claim, drift } }
    : { ...node, node: { ...node.node, ready: false, troubles } };

const gatesOf = (fault: Fault, isOn: boolean): FeatureGates => ({
  ...DEFAULT_GATES,
  NodeRepair: true,
  StaticCapacity: true,
  [fault === 'drifted' ? 'TerminateFirstDrift' : 'TerminateFirstRepair']: isOn,
});

const quiet = (fault: Fault, isOn: boolean, over: Fleet = {}): Fleet => ({
  pools: [willing({ consolidateAfterMs: 'Never' })],
  settings: { ...DEFAULT_SETTINGS, gates: gatesOf(fault, isOn) },
  ...over,
});

const healthy = ['b', 'c', 'd', 'e'].map((name): FleetNode => ({ name, pods: webs(4, `on-${name}`) }));

const FAULTS: readonly Fault[] = ['drifted', 'unhealthy'];

describe.each(FAULTS)('a node that is %s, in a capacity reservation', (fault) => {
  const reserved = (free: number): Offering => ({
    ...priced('small', 'reserved', 'us-east-1a', 0.000_001),
    reservation: { id: 'cr-1', kind: 'default', isInterruptible: false, free },
  });
  const inReservation = withFault(fault, {
    name: 'a',
    pods: webs(3, 'p'),
    claim: {
      launch: aLaunch({
        ...{ instanceType: 'small', capacityType: 'reserved', providerId: 'aws:///i-a' },
        labels: { [RESERVATION_ID_LABEL]: 'cr-1' },
      }),
    },
  });
  const selecting = (id: string): NodeClassState => ({
    ...{ name: 'default', hash: 'x', subnets: [], securityGroups: [], images: [] },
    reservations: [
      {
        ...{ id, zone: 'us-east-1a', instanceType: 'small', ownerId: '123456789012' },
        ...{ matchCriteria: 'targeted', kind: 'default', isInterruptible: false, freeInstances: 0 },
      },
    ],
  });
  /** The NodePool may launch in the reservation only. */
  const decideWith = (isOn: boolean, free: number) =>
    decide(aFleet([inReservation, ...healthy], quiet(fault, isOn, { offerings: [reserved(free)] })));

  it.each([
    ['lists the reservation', { offerings: [reserved(0)] }],
    ['lists it in the EC2NodeClass only', { offerings: [], nodeClasses: [selecting('cr-1')] }],
  ])('goes before its replacement if the reservation is full, the gate is on and the snapshot %s', (_, over) => {
    const { command, verdicts } = decide(aFleet([inReservation, ...healthy], quiet(fault, true, over)));

    expect(command).toMatchObject({ candidates: ['a'], replacements: [], placements: [] });
    expect(verdicts.find(({ claim }) => claim === 'a')?.reason).toMatchObject({ code: 'terminates-first' });
  });

  it.each([
    [true, undefined],
    [false, 'static-without-replacement'],
  ] as const)('of a static NodePool goes first if the reservation is full and the gate is on: %s', (isOn, stays) => {
    const pools = [{ ...willing({ consolidateAfterMs: 'Never' }), replicas: 5, limits: { nodes: 6 } }];
    const over = { pools, offerings: [reserved(0)] };
    const decision = decide(aFleet([inReservation, ...healthy], quiet(fault, isOn, over)));

    expect(findStayReason(decision, 'a')).toBe(stays);
    expect(decision.command?.replacements).toEqual(isOn ? [] : undefined);
  });

  it('stays if its EC2NodeClass does not select the reservation any more', () => {
    const over = { offerings: [], nodeClasses: [selecting('cr-2')] };

    expect(decide(aFleet([inReservation, ...healthy], quiet(fault, true, over))).command).toBeUndefined();
  });

  it('stays if the reservation is full and the gate is off', () => {
    expect(findStayReason(decideWith(false, 0), 'a')).toBe('pods-do-not-fit');
  });

  it('waits for its replacement if the reservation has a free instance', () => {
    expect(decideWith(true, 1).command?.replacements).toHaveLength(1);
  });
});

describe.each(FAULTS)('a node that is %s, of a static NodePool at its limit', (fault) => {
  const pools = [{ ...willing({ consolidateAfterMs: 'Never' }), replicas: 5, limits: { nodes: 5 } }];
  const decideWith = (isOn: boolean) =>
    decide(aFleet([withFault(fault, { name: 'a' }), ...healthy], quiet(fault, isOn, { pools })));

  it('goes before its replacement if the gate is on', () => {
    expect(decideWith(true).command).toMatchObject({ candidates: ['a'], replacements: [] });
  });

  it('stays if the gate is off', () => {
    expect(findStayReason(decideWith(false), 'a')).toBe('static-at-limit');
  });
});
