import { describe, expect, it } from 'vitest';
import { RebootRefusedError } from '../../../../shared/model/errors.ts';
import { aNodePool, NOON, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { aCloud, aSimpleClaim } from '../cloud.ts';

describe('instances', () => {
  const tags = (more: Readonly<Record<string, string>>) => Object.entries(more).map(([Key, Value]) => ({ Key, Value }));
  const inDemo = { 'kubernetes.io/cluster/demo': 'owned', 'eks:eks-cluster-name': 'demo' };
  const launch = { 'mortise.sh/launch': 'abc' };
  const claim = { 'karpenter.sh/nodeclaim': 'general-1' };
  const ours = { ...inDemo, ...launch, ...claim };

  it.each([
    ['of another cluster', { 'kubernetes.io/cluster/demo-2': 'owned', ...launch, ...claim }],
    ['that Karpenter launched', { ...inDemo, ...claim }],
  ])('exclude one %s', async (_, tagged) => {
    const { ec2, cloud } = aCloud();
    ec2.add({
      InstanceId: 'i-1',
      State: { Name: 'running' },
      Placement: { AvailabilityZone: ZONES[0] },
      Tags: tags(tagged),
    });

    expect(await cloud.instances()).toEqual([]);
  });

  it.each([
    ['pending', 'pending'],
    ['running', 'running'],
    ['stopping', 'stopped'],
    ['stopped', 'stopped'],
    ['shutting-down', 'shutting-down'],
  ] as const)("in EC2's state %s have the state %s", async (Name, state) => {
    const { ec2, cloud } = aCloud();
    ec2.add({
      InstanceId: 'i-1',
      State: { Name },
      Placement: { AvailabilityZone: ZONES[0] },
      LaunchTime: new Date(NOON),
      InstanceType: 'm7i.large',
      InstanceLifecycle: 'spot',
      Tags: tags({
        ...ours,
        'karpenter.sh/nodepool': 'general',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
      }),
    });

    const instance = {
      providerId: 'aws:///us-east-1a/i-1',
      claim: 'general-1',
      state,
      launchId: 'abc',
      launchedAt: NOON,
      facts: {
        instanceType: 'm7i.large',
        zone: ZONES[0],
        capacityType: 'spot',
        pool: 'general',
        nodeClass: 'default',
      },
    };
    expect(await cloud.instances()).toEqual([instance]);
    expect(await cloud.instance(instance.providerId)).toEqual(instance);
  });

  it('from which a user removed the tag of the cluster get it again, and nothing else', async () => {
    const { ec2, cloud } = aCloud();
    const { 'eks:eks-cluster-name': removed, ...kept } = ours;
    ec2.add({
      InstanceId: 'i-1',
      State: { Name: 'running' },
      Placement: { AvailabilityZone: ZONES[0] },
      Tags: tags(kept),
    });
    const [instance] = await cloud.instances();
    expect(instance?.lacksClusterTag).toBe(true);

    await cloud.nameInstance(instance?.providerId ?? '', { clusterTag: true });

    expect(ec2.instances[0]?.Tags).toEqual(tags({ ...kept, 'eks:eks-cluster-name': removed }));
    expect(await cloud.instances()).not.toContainEqual(expect.objectContaining({ lacksClusterTag: true }));
  });

  it('are described together, also if EC2 does not have one of them', async () => {
    const { ec2, cloud } = aCloud();
    for (const InstanceId of ['i-1', 'i-2', 'i-3']) {
      ec2.add({
        InstanceId,
        State: { Name: 'running' },
        Placement: { AvailabilityZone: ZONES[0] },
        Tags: tags(ours),
      });
    }
    const ids = ['i-1', 'i-2', 'i-gone', 'i-3'].map((id) => `aws:///us-east-1a/${id}`);

    const described = await Promise.all(ids.map((id) => cloud.instance(id)));

    expect(described.map((one) => one?.providerId)).toEqual([ids[0], ids[1], undefined, ids[3]]);
    // One for all, and one to be sure of the missing one.
    expect(ec2.describeCalls()).toBe(2);
  });

  it('that EC2 does not show are missing among those that are searched, without a second request', async () => {
    const { ec2, cloud } = aCloud();
    const ids = Array.from({ length: 201 }, (_, index) => `i-${index}`);
    for (const InstanceId of ids) {
      ec2.add({
        InstanceId,
        State: { Name: 'running' },
        Placement: { AvailabilityZone: ZONES[0] },
        Tags: tags(ours),
      });
    }
    const searched = [...ids, 'i-gone'].map((id) => `aws:///us-east-1a/${id}`);

    const shown = await cloud.findInstances(searched);

    expect(shown.map(({ providerId }) => providerId)).toEqual(searched.slice(0, -1));
    // EC2 takes 200 ids in a filter.
    expect(ec2.describeCalls()).toBe(2);
  });

  it('that EC2 no longer knows are gone, and can be terminated without an error', async () => {
    const { ec2, cloud } = aCloud();
    await launchOne(cloud, aSimpleClaim());
    const providerId = 'aws:///us-east-1a/i-00000000000000001';
    await cloud.terminate(providerId);
    ec2.waitUntilVisible();
    ec2.forget();

    expect(await cloud.instance(providerId)).toBeUndefined();
    await expect(cloud.terminate(providerId)).resolves.toBeUndefined();
  });

  it('are terminated together, and one by one if EC2 refuses all of them because of one', async () => {
    const { ec2, cloud } = aCloud();
    const ids = ['i-1', 'i-2', 'i-3'];
    for (const InstanceId of ids) ec2.add({ InstanceId, State: { Name: 'running' } });
    const [protectedId, ...others] = ids.map((id) => `aws:///us-east-1a/${id}`);

    await Promise.all(others.map((id) => cloud.terminate(id)));
    expect(ec2.terminateCalls()).toBe(1);

    ec2.refuseTermination('i-1', 'OperationNotPermitted');
    ec2.add({ InstanceId: 'i-4', State: { Name: 'running' } });
    const outcomes = await Promise.allSettled(
      [protectedId, 'aws:///us-east-1a/i-4'].map((id = '') => cloud.terminate(id)),
    );

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(ec2.instances.map(({ State }) => State?.Name)).toEqual([
      'running',
      'shutting-down',
      'shutting-down',
      'shutting-down',
    ]);
  });

  it('are not terminated one by one if EC2 throttles the request for all of them', async () => {
    const { ec2, cloud } = aCloud();
    for (const InstanceId of ['i-1', 'i-2']) ec2.add({ InstanceId, State: { Name: 'running' } });
    ec2.refuseTermination('i-1', 'RequestLimitExceeded');

    const outcomes = await Promise.allSettled(['i-1', 'i-2'].map((id) => cloud.terminate(`aws:///us-east-1a/${id}`)));

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ec2.terminateCalls()).toBe(1);
  });

  it.each<[string, 'final' | 'again']>([
    ['InvalidInstanceID.NotFound', 'final'],
    ['UnauthorizedOperation', 'final'],
    ['RequestLimitExceeded', 'again'],
  ])('are rebooted, and EC2 may answer %s', async (code, what) => {
    const { ec2, cloud } = aCloud();
    const providerId = 'aws:///us-east-1a/i-1';
    ec2.add({ InstanceId: 'i-1', State: { Name: 'running' } });
    await cloud.reboot(providerId);
    expect(ec2.reboots).toEqual(['i-1']);
    ec2.refuseReboots(code);

    const error = await cloud.reboot(providerId).catch((cause: unknown) => cause);

    expect(error instanceof RebootRefusedError ? 'final' : 'again').toBe(what);
  });

  it('are identified by their provider ID alone', async () => {
    const { cloud } = aCloud();

    await expect(cloud.terminate('kind://docker/kind/node')).rejects.toThrow('no instance of EC2');
  });
});

describe('the catalogue', () => {
  it('returns the same lists while prices and NodeClasses stay the same', async () => {
    const { cloud } = aCloud();

    const first = await cloud.catalogue([aNodePool(), aNodePool({ name: 'batch' })]);
    const second = await cloud.catalogue([aNodePool()]);

    expect(second.offerings).toBe(first.offerings);
    expect(second.instanceTypes.general).toBe(first.instanceTypes.general);
    expect(first.instanceTypes.batch).toBe(first.instanceTypes.general);
  });

  it('has no types for a pool without NodeClass', async () => {
    const { cloud } = aCloud();
    const nodeClass = { ...aNodePool().nodeClass, name: 'gone' };

    expect(await cloud.catalogue([aNodePool({ nodeClass })])).toEqual({
      instanceTypes: { general: [] },
      zones: { general: [] },
      zoneIds: {},
      offerings: [],
    });
  });
});
