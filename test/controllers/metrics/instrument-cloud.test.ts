import { describe, expect, it } from 'vitest';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import { ZONE_ID_LABEL } from '../../../shared/model/labels.ts';
import type { Cloud, LaunchResult } from '../../../shared/ports/cloud.ts';
import { aLaunch, aNodeClaim } from '../../support/builders.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { addRunning, aFakeWorld, providerIdOf } from '../support/fake-ports.ts';

const FAILURES = 'karpenter_cloudprovider_instance_launch_failures_total';
const TERMINATIONS = 'karpenter_cloudprovider_instance_termination_failures_total';
const inZoneA = { zone: 'us-east-1a', zoneId: 'use1-az1', capacityType: 'spot' } as const;

describe('launch failures', () => {
  async function counted(answer: LaunchResult) {
    const telemetry = memoryTelemetry();
    const { ports } = aFakeWorld();
    const cloud: Cloud = { ...ports.cloud, launch: async () => answer };
    const claims = [aNodeClaim()];
    const request = { id: 'l-1', attempt: 1, claims, isRepeated: false, existingInstances: [] };
    await instrumentPorts({ ...ports, cloud }, telemetry).cloud.launch(request);
    return [...telemetry.series].filter(([key]) => key.startsWith(FAILURES));
  }

  it('are counted by zone and reason, one per failure in the answer', async () => {
    const reason = 'InsufficientInstanceCapacity';
    const nowhere = { zone: '', zoneId: '', capacityType: 'spot', reason: 'LaunchFailed' } as const;
    const failures = [{ ...inZoneA, reason }, { ...inZoneA, reason }, nowhere];

    expect(await counted({ launches: [aLaunch()], unavailable: [], failures })).toEqual([
      [`${FAILURES}{capacity_type=spot,zone=us-east-1a,zone_id=use1-az1,reason=${reason}}`, 2],
      [`${FAILURES}{capacity_type=spot,zone=,zone_id=,reason=LaunchFailed}`, 1],
    ]);
  });

  it('are not counted if there are none', async () => {
    expect(await counted({ launches: [aLaunch()], unavailable: [] })).toEqual([]);
  });
});

describe('termination failures', () => {
  const refusing = async () => {
    throw new Error('OperationNotPermitted');
  };

  it('are counted by zone', async () => {
    const telemetry = memoryTelemetry();
    const world = aFakeWorld();
    const providerId = providerIdOf('general-1');
    const launch = aLaunch({ providerId, labels: { [ZONE_ID_LABEL]: 'use1-az1' } });
    await addRunning(world, 'general-1', { launch });
    const cloud: Cloud = { ...world.ports.cloud, terminate: refusing };
    const ports = instrumentPorts({ ...world.ports, cloud }, telemetry);
    await ports.nodeClaims.find('general-1');

    await expect(ports.cloud.terminate(providerId)).rejects.toThrow('OperationNotPermitted');
    expect(telemetry.series.get(`${TERMINATIONS}{zone=us-east-1a,zone_id=use1-az1}`)).toBe(1);
  });

  it('are counted without a zone id if it is unknown', async () => {
    const telemetry = memoryTelemetry();
    const world = aFakeWorld();
    const cloud: Cloud = { ...world.ports.cloud, terminate: refusing };
    const ports = instrumentPorts({ ...world.ports, cloud }, telemetry);

    await expect(ports.cloud.terminate(providerIdOf('general-1'))).rejects.toThrow();
    expect(telemetry.series.get(`${TERMINATIONS}{zone=us-east-1a,zone_id=}`)).toBe(1);
  });
});
