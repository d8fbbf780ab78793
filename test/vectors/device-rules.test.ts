import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { gpus, WISHING, withDevices } from '../scheduling/devices/loop.ts';
import { several, tiny } from '../scheduling/support/fixture.ts';
import { aClaimTemplate } from '../support/devices.ts';
import { checkPlan } from './check-plan.ts';

const templates = [aClaimTemplate('wish')];

/** Checks a plan that was made for types with this many devices against types with one device. */
function objectionsTo(devices: number) {
  const pods = several(2, 'a', WISHING);
  const generous = { ...withDevices(gpus(devices), { templates }), pods };
  const plan = planProvisioning(generous, 'd');
  return checkPlan({ ...withDevices(gpus(1), { templates }), pods }, plan);
}

describe('the plan checker', () => {
  it('accepts one node per pod if nodes have one device', () => {
    expect(objectionsTo(1)).toEqual([]);
  });

  it('rejects two pods on a node with one device', () => {
    expect(objectionsTo(2)).toEqual(['not all of a-1/gpu, a-2/gpu find devices']);
  });

  it('rejects a pod whose claim does not exist', () => {
    const pods = [tiny('a')];
    const plan = planProvisioning({ ...withDevices(gpus(1)), pods }, 'd');
    const claiming = { ...withDevices(gpus(1)), pods: [tiny('a', WISHING)] };
    expect(checkPlan(claiming, plan)).toEqual(['claim gpu of a is not ready']);
  });
});
