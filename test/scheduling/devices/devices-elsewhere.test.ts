import { describe, expect, it } from 'vitest';
import type { Device, DeviceClaimSpec } from '../../../shared/model/pods/devices.ts';
import type { NodeSelectorTerm } from '../../../shared/model/pods/pod.ts';
import { aChoice, aClaimTemplate, aDevice, aSliceOf, GPU_DRIVER, requestFor } from '../../support/devices.ts';
import { createPods, need, tiny, Z1, Z2, ZONE } from '../support/fixture.ts';
import { findZoneOfPod, provision } from '../support/provision.ts';
import { CLAIMING_FROM_TEMPLATE, withDevices } from './device-fixture.ts';

const of = (kind: string): Partial<Device> => ({ attributes: { kind: { string: kind } } });
const inZone = (zone: string): NodeSelectorTerm => [need(ZONE, 'In', zone)];

/** A pool of network-attached devices that the nodes of one zone reach. */
const reachedFrom = (zone: string, ...devices: readonly Device[]) =>
  aSliceOf(`net-${zone}`, devices, { reach: { nodeTerms: [inZone(zone)] } });

const cluster = (request: DeviceClaimSpec) =>
  withDevices([], {
    slices: [
      reachedFrom(Z1, aDevice('a', of('red'))),
      reachedFrom(Z2, aDevice('b', of('blue')), aDevice('c', of('blue'))),
    ],
    templates: [aClaimTemplate('wish', request)],
  });

const ofKind = (name: string, kind: string) =>
  aChoice({ name, selectors: [`device.attributes["${GPU_DRIVER}"].kind == "${kind}"`] });

describe('devices that only one zone reaches', () => {
  it('restrict their pods to that zone', () => {
    const outcome = provision(cluster(requestFor([ofKind('one', 'blue')])), tiny('a', CLAIMING_FROM_TEMPLATE));

    expect(findZoneOfPod(outcome, 'a')).toBe(Z2);
    expect(outcome.plan.claims[0]?.claim.requirements).toContainEqual(need(ZONE, 'In', Z2));
  });

  it('cannot serve one pod if they are in two zones', () => {
    const both = requestFor([ofKind('one', 'red'), ofKind('two', 'blue')]);
    expect(provision(cluster(both), tiny('a', CLAIMING_FROM_TEMPLATE)).pending).toEqual(['a']);
  });

  it('serve as many pods as there are devices, in any zone', () => {
    const outcome = provision(cluster(requestFor([aChoice()])), ...createPods(4, 'a', CLAIMING_FROM_TEMPLATE));
    expect(outcome.pending).toHaveLength(1);
  });
});
