import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { CLAIMING_FROM_TEMPLATE, createGpus, withDevices } from '../scheduling/devices/device-fixture.ts';
import { createPods, tiny } from '../scheduling/support/fixture.ts';
import { aClaimTemplate } from '../support/devices.ts';
import { checkPlan } from './check-plan.ts';

const templates = [aClaimTemplate('wish')];

/** Plans for types with this many devices, and checks the plan against types with one device. */
function findViolations(devices: number) {
  const pods = createPods(2, 'a', CLAIMING_FROM_TEMPLATE);
  const generous = { ...withDevices(createGpus(devices), { templates }), pods };
  const plan = planProvisioning(generous, 'd');
  return checkPlan({ ...withDevices(createGpus(1), { templates }), pods }, plan);
}

describe('the device rules of the plan checker', () => {
  it('accepts one node per pod if nodes have one device', () => {
    expect(findViolations(1)).toEqual([]);
  });

  it('rejects two pods on a node with one device', () => {
    expect(findViolations(2)).toEqual(['not all of a-1/gpu, a-2/gpu find devices']);
  });

  it('rejects a pod whose claim does not exist', () => {
    const pods = [tiny('a')];
    const plan = planProvisioning({ ...withDevices(createGpus(1)), pods }, 'd');
    const claiming = { ...withDevices(createGpus(1)), pods: [tiny('a', CLAIMING_FROM_TEMPLATE)] };
    expect(checkPlan(claiming, plan)).toEqual(['claim gpu of a is not ready']);
  });
});
