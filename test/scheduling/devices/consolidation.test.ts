import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { aFleet, decide, web } from '../../disruption/fleet.ts';
import { aClaimTemplate, aDeviceClaim, aSliceOf, GPU_DRIVER, someDevices } from '../../support/devices.ts';
import { createGpus } from './device-fixture.ts';

/** A running pod with the first device of its node, and its claim. */
function running(name: string, node: string) {
  const spec = web(name, 0.5, { deviceClaims: [{ name: 'gpu', template: 'wish' }] });
  const pod: Pod = { ...spec, madeClaims: { gpu: `${name}-gpu` } };
  const claim = aDeviceClaim(`${name}-gpu`, {
    allocation: {
      devices: [{ driver: GPU_DRIVER, pool: node, device: 'gpu-0' }],
      nodeTerms: [[{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }]],
    },
    holders: [pod.uid],
  });
  return { pod, claim };
}

/** Two half-empty nodes, the second with this many devices. */
function fleetWith(devices: number, ignoreDraRequests = false) {
  const [first, second] = [running('p', 'a'), running('q', 'b')];
  const machines = [
    { name: 'a', pods: [first.pod] },
    { name: 'b', pods: [second.pod] },
  ];
  return aFleet(machines, {
    settings: { ...DEFAULT_SETTINGS, ignoreDraRequests },
    devices: someDevices({
      slices: [aSliceOf('a', createGpus(1)), aSliceOf('b', createGpus(devices))],
      claims: [first.claim, second.claim],
      templates: [aClaimTemplate('wish')],
    }),
  });
}

describe('a node whose pods use devices', () => {
  it('is removed if another node has devices for them; devices of moving pods count as free', () => {
    expect(decide(fleetWith(2)).gone).toHaveLength(1);
  });

  it.each([
    ['no other has devices for them', 1, false],
    ['claims of devices are ignored', 2, true],
  ])('stays if %s', (_, devices, ignored) => {
    expect(decide(fleetWith(devices, ignored)).gone).toEqual([]);
  });
});
