import { describe, expect, it } from 'vitest';
import { LaunchFailedError } from '../../../../shared/model/errors.ts';
import { aNodeClaim, NOON } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { ec2Error, fakeEc2 } from '../../support/fake-ec2.ts';
import { aCloud, aSimpleClaim, cloudOver } from '../cloud.ts';

describe('a launch whose result was not recorded', () => {
  it('finds the instance of an attempt that stopped before recording it', async () => {
    const ec2 = fakeEc2();
    const first = await launchOne(cloudOver(ec2), aSimpleClaim());

    const second = await launchOne(cloudOver(ec2, { unavailable: [{ until: NOON + 1 }] }), aSimpleClaim(), {
      isRepeated: true,
    });

    expect(second).toEqual(first);
    expect(ec2.fleets).toHaveLength(1);
  });

  it('requests the remaining instances under another client token', async () => {
    const { ec2, cloud } = aCloud();
    const claims = [1, 2, 3].map((n) => aNodeClaim({ ...aSimpleClaim(), name: `general-${n}` }));
    const request = { id: 'p-1-0', attempt: 1, claims, existingInstances: [] };
    ec2.limit('on-demand', 1);
    const first = await cloud.launch({ ...request, isRepeated: false });

    const second = await cloud.launch({ ...request, isRepeated: true });

    expect(second.launches[0]?.providerId).toBe(first.launches[0]?.providerId);
    const ids = second.launches.map(({ providerId }) => providerId);
    expect(new Set(ids).size).toBe(ids.length);
    const tokens = ec2.fleets.map(({ ClientToken = '' }) => ClientToken.replace(/^\w+-/, ''));
    expect(tokens).toEqual(['1-on-demand', '1-on-demand-1']);
  });

  it('returns no instance twice if EC2 repeats a response', async () => {
    const { ec2, cloud } = aCloud();
    const claims = [1, 2].map((n) => aNodeClaim({ ...aSimpleClaim(), name: `general-${n}` }));
    const request = { id: 'p-1-0', attempt: 1, claims, existingInstances: [] };
    ec2.limit('on-demand', 1);
    const { launches } = await cloud.launch({ ...request, isRepeated: false });
    ec2.repeatAnswers();

    const second = await cloud.launch({ ...request, isRepeated: true });

    expect(second.launches).toEqual(launches);
  });

  it('treats a server error as possibly launched', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('InternalError', 'An internal error has occurred', 500);
    });

    await expect(launchOne(cloud, aSimpleClaim())).rejects.not.toThrow(LaunchFailedError);
  });

  it('treats throttling as not launched, although EC2 returns it as a server error', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('RequestLimitExceeded', 'Request limit exceeded.', 503);
    });

    await expect(launchOne(cloud, aSimpleClaim())).rejects.toMatchObject({
      reason: 'RequestLimitExceeded',
    });
  });

  it('adopts those of several instances that are active and without a claim', async () => {
    const { ec2, cloud } = aCloud();
    await launchOne(cloud, aSimpleClaim());
    const [first] = ec2.instances;
    ec2.add({ ...first, InstanceId: 'i-2', State: { Name: 'running' } });
    ec2.add({ ...first, InstanceId: 'i-3', State: { Name: 'shutting-down' } });

    const takenUp = async (existing: readonly string[]) => {
      const outcome = await launchOne(cloud, aSimpleClaim(), {
        isRepeated: true,
        existingInstances: existing,
      });
      return outcome.outcome === 'launched' ? outcome.launch.providerId : undefined;
    };

    expect(await takenUp([])).toBe('aws:///us-east-1a/i-00000000000000001');
    expect(await takenUp(['aws:///us-east-1a/i-00000000000000001'])).toBe('aws:///us-east-1a/i-2');
    expect(ec2.fleets).toHaveLength(1);
  });
});
