import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { gpus, WISHING, withDevices } from '../scheduling/devices/loop.ts';
import { several, tiny } from '../scheduling/support/fixture.ts';
import { aClaimTemplate } from '../support/devices.ts';
import { checkPlan } from './check-plan.ts';

const templates = [aClaimTemplate('wish')];

/** A plan made where types have so many devices, as the checker sees it where they have one. */
function objectionsTo(devices: number) {
  const pods = several(2, 'a', WISHING);
  const generous = { ...withDevices(gpus(devices), { templates }), pods };
  const plan = planProvisioning(generous, 'd');
  return checkPlan({ ...withDevices(gpus(1), { templates }), pods }, plan);
}

describe('the checker of plans', () => {
  it('accepts a node for each pod where nodes have one device', () => {
    expect(objectionsTo(1)).toEqual([]);
  });

  it('objects to two pods on a node with one device', () => {
    expect(objectionsTo(2)).toEqual(['not all of a-1/gpu, a-2/gpu find devices']);
  });

  it('objects to a pod whose claim is not there', () => {
    const pods = [tiny('a')];
    const plan = planProvisioning({ ...withDevices(gpus(1)), pods }, 'd');
    const claiming = { ...withDevices(gpus(1)), pods: [tiny('a', WISHING)] };
    expect(checkPlan(claiming, plan)).toEqual(['claim gpu of a is not ready']);
  });
});
