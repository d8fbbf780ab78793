import { describe, expect, it } from 'vitest';
import { ACCOUNT } from '../emulators.ts';
import type { Override } from '../fleet-parameters.ts';
import { capacityReservations } from './capacity-reservations.ts';
import { type Ec2Feature, type LaunchTemplate, readTemplate } from './ec2-feature.ts';
import { editInstances } from './instances-xml.ts';
import { cpuOptions, instanceOptions, networkInterfaces } from './launch-features.ts';
import { launchTags } from './launch-tags.ts';
import { placementGroups } from './placement-groups.ts';

const template = (data: Readonly<Record<string, string>>): LaunchTemplate =>
  readTemplate(
    new URLSearchParams(
      Object.entries(data).map(([name, value]): [string, string] => [`LaunchTemplateData.${name}`, value]),
    ),
  );

const NO_FLEET = new URLSearchParams();

const INTERFACES =
  '<networkInterfaceSet><item><attachment><deviceIndex>0</deviceIndex></attachment></item></networkInterfaceSet>';
const INSTANCE = `<item>${INTERFACES}<instanceId>i-1</instanceId><placement><groupName/></placement></item>`;

const describeWith = (feature: Ec2Feature): string => feature.describeInstance(INSTANCE, 'i-1');

const ask = (feature: Ec2Feature, action: string, parameters: Readonly<Record<string, string>>): string =>
  feature.answer?.(action, new URLSearchParams(parameters))?.body.toString() ?? '';

const idIn = (text: string, name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? '';

const anOverride = (instanceType: string): Override => ({
  config: '',
  prefix: '',
  subnet: '',
  offering: '',
  priority: 0,
  zone: 'us-east-1a',
  instanceType,
});

describe('an instance in the lab', () => {
  it('has the metadata options, enclaves, profile and public address of its launch template', () => {
    const feature = instanceOptions();
    const data = {
      'MetadataOptions.HttpTokens': 'required',
      'EnclaveOptions.Enabled': 'true',
      'IamInstanceProfile.Name': 'nodes',
      'NetworkInterface.1.AssociatePublicIpAddress': 'true',
    };
    feature.addInstance(template(data), 'i-1', NO_FLEET);
    const xml = '<item><metadataOptions><httpTokens>optional</httpTokens></metadataOptions></item>';

    expect(feature.describeInstance(xml, 'i-1')).toBe(
      '<item><metadataOptions><httpTokens>required</httpTokens></metadataOptions>' +
        '<enclaveOptions><enabled>true</enabled></enclaveOptions><iamInstanceProfile>' +
        `<arn>arn:aws:iam::${ACCOUNT}:instance-profile/nodes</arn></iamInstanceProfile><ipAddress>203.0.113.10</ipAddress></item>`,
    );
    expect(feature.describeInstance(xml, 'i-2')).toBe(xml);
  });

  it('has volumes, network interfaces and a spot request with the tags of its launch', () => {
    const feature = launchTags();
    const tag = (type: string, value: string) => ({
      'TagSpecification.1.ResourceType': type,
      'TagSpecification.1.Tag.1.Key': 'team',
      'TagSpecification.1.Tag.1.Value': value,
    });
    const spot = template(tag('spot-instances-request', 'web'));
    feature.addInstance(spot, 'i-12345678', new URLSearchParams(tag('volume', 'data')));
    const xml = '<item><instanceId>i-12345678</instanceId><instanceLifecycle>spot</instanceLifecycle></item>';
    const id = idIn(feature.describeInstance(xml, 'i-12345678'), 'spotInstanceRequestId');
    const attached = (type: 'volume' | 'network-interface', tags: string) =>
      feature.describeAttached?.(type, `<item><tagSet>${tags}</tagSet></item>`, 'i-12345678');

    const request = ask(feature, 'DescribeSpotInstanceRequests', { 'SpotInstanceRequestId.1': id });
    expect(request).toContain('<tagSet><item><key>team</key><value>web</value></item></tagSet>');
    expect(ask(feature, 'DescribeSpotInstanceRequests', { 'SpotInstanceRequestId.1': 'sir-0' })).not.toContain(
      '<item>',
    );
    expect(attached('volume', '')).toBe(
      '<item><tagSet><item><key>team</key><value>data</value></item></tagSet></item>',
    );
    // A later tag takes the place of that of the launch.
    const later = '<item><key>team</key><value>later</value></item>';
    expect(attached('volume', later)).toBe(`<item><tagSet>${later}</tagSet></item>`);
    expect(attached('network-interface', '')).toBe('<item><tagSet></tagSet></item>');
    expect(feature.describeInstance(INSTANCE, 'i-1')).toBe(INSTANCE);
  });

  it('has the first volume and the connection tracking of its launch template', () => {
    const feature = instanceOptions();
    const data = {
      'BlockDeviceMapping.1.DeviceName': '/dev/xvda',
      'BlockDeviceMapping.1.Ebs.VolumeSize': '20',
      'BlockDeviceMapping.1.Ebs.Encrypted': 'true',
      'NetworkInterface.1.ConnectionTrackingSpecification.UdpTimeout': '45',
    };
    feature.addInstance(template(data), 'i-1', NO_FLEET);
    const device = (name: string) =>
      `<item><blockDeviceMapping><item><deviceName>${name}</deviceName></item></blockDeviceMapping></item>`;

    expect(feature.describeInstance(device('/dev/sda1'), 'i-1')).toBe(device('/dev/xvda'));
    expect(feature.describeAttached?.('volume', '<item><size>8</size></item>', 'i-1')).toBe(
      '<item><size>20</size><encrypted>true</encrypted></item>',
    );
    expect(feature.describeAttached?.('network-interface', '<item></item>', 'i-1')).toBe(
      '<item><connectionTrackingConfiguration><udpTimeout>45</udpTimeout></connectionTrackingConfiguration></item>',
    );
    expect(feature.describeAttached?.('network-interface', '<item></item>', 'i-2')).toBe('<item></item>');
  });

  it('has the CPU options of its launch template', () => {
    const feature = cpuOptions();
    feature.addInstance(template({ 'CpuOptions.NestedVirtualization': 'enabled' }), 'i-1', NO_FLEET);

    expect(describeWith(feature)).toContain('<nestedVirtualization>enabled</nestedVirtualization>');
    expect(feature.describeInstance('<item></item>', 'i-2')).toBe('<item></item>');
  });

  it('has the network interfaces of its launch template, with their types', () => {
    const feature = networkInterfaces();
    const interfaces = template({
      'NetworkInterface.1.DeviceIndex': '0',
      'NetworkInterface.2.DeviceIndex': '1',
      'NetworkInterface.2.InterfaceType': 'efa-only',
    });
    feature.addInstance(interfaces, 'i-1', NO_FLEET);

    expect(describeWith(feature)).toContain(
      '<networkInterfaceSet><item><attachment><deviceIndex>0</deviceIndex></attachment><interfaceType>interface</interfaceType></item>' +
        '<item><attachment><deviceIndex>1</deviceIndex><networkCardIndex>0</networkCardIndex></attachment><interfaceType>efa-only</interfaceType></item></networkInterfaceSet>',
    );
  });

  it('is edited in its place, whatever lists it contains', () => {
    const body = `<reservationSet><item><instancesSet>${INSTANCE}${INSTANCE.replace('i-1', 'i-2')}</instancesSet></item></reservationSet>`;
    const answer = { status: 200, headers: {}, body: Buffer.from(body) };
    const edited = editInstances(answer, (xml, id) => (id === 'i-2' ? '<item/>' : xml));

    expect(edited.body.toString()).toBe(
      `<reservationSet><item><instancesSet>${INSTANCE}<item/></instancesSet></item></reservationSet>`,
    );
  });
});

describe('a placement group in the lab', () => {
  const create = (feature: Ec2Feature): string =>
    idIn(
      ask(feature, 'CreatePlacementGroup', {
        GroupName: 'racks',
        Strategy: 'partition',
        PartitionCount: '2',
      }),
      'groupId',
    );

  it('places instances into the partition of the template, or into the emptiest', () => {
    const feature = placementGroups();
    const group = { 'Placement.GroupId': create(feature) };
    feature.addInstance(template({ ...group, 'Placement.PartitionNumber': '1' }), 'i-0', NO_FLEET);
    feature.addInstance(template(group), 'i-1', NO_FLEET);

    expect(describeWith(feature)).toContain(
      `<placement><groupName>racks</groupName><groupId>${group['Placement.GroupId']}</groupId><partitionNumber>2</partitionNumber></placement>`,
    );
  });

  it('is unknown after its deletion', () => {
    const feature = placementGroups();
    create(feature);
    const described = ask(feature, 'DescribePlacementGroups', { 'GroupName.1': 'racks' });
    ask(feature, 'DeletePlacementGroup', { GroupName: 'racks' });

    expect(idIn(described, 'partitionCount')).toBe('2');
    expect(ask(feature, 'DescribePlacementGroups', { 'GroupName.1': 'racks' })).toContain(
      'InvalidPlacementGroup.Unknown',
    );
  });
});

describe('a capacity reservation in the lab', () => {
  const create = (feature: Ec2Feature, InstanceCount: string): string =>
    idIn(
      ask(feature, 'CreateCapacityReservation', {
        InstanceType: 'm5.large',
        AvailabilityZone: 'us-east-1a',
        InstanceMatchCriteria: 'targeted',
        InstanceCount,
      }),
      'capacityReservationId',
    );
  const targeting = (id: string): LaunchTemplate =>
    template({
      'CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId': id,
    });
  const freeIn = (feature: Ec2Feature, id: string): string =>
    idIn(ask(feature, 'DescribeCapacityReservations', { 'CapacityReservationId.1': id }), 'availableInstanceCount');

  it('has capacity for its type only, until its instances run', () => {
    const feature = capacityReservations();
    const id = create(feature, '1');

    expect(feature.hasCapacity?.(targeting(id), anOverride('m5.xlarge'))).toBe(false);
    expect(feature.hasCapacity?.(targeting(id), anOverride('m5.large'))).toBe(true);
    feature.addInstance(targeting(id), 'i-1', NO_FLEET);
    expect(feature.hasCapacity?.(targeting(id), anOverride('m5.large'))).toBe(false);
    expect(freeIn(feature, id)).toBe('0');
    feature.removeInstance?.('i-1');
    expect(freeIn(feature, id)).toBe('1');
  });

  it('does not hold its instances after it was cancelled', () => {
    const feature = capacityReservations();
    const id = create(feature, '1');
    feature.addInstance(targeting(id), 'i-1', NO_FLEET);

    expect(describeWith(feature)).toContain(`<capacityReservationId>${id}</capacityReservationId>`);
    ask(feature, 'CancelCapacityReservation', { CapacityReservationId: id });
    expect(describeWith(feature)).toBe(INSTANCE);
    expect(ask(feature, 'DescribeCapacityReservations', ACTIVE)).not.toContain(id);
  });

  it('has less capacity while an interruptible reservation takes a part of it', () => {
    const feature = capacityReservations();
    const source = { CapacityReservationId: create(feature, '2') };
    const allocation = ask(feature, 'CreateInterruptibleCapacityReservationAllocation', {
      ...source,
      InstanceCount: '1',
    });
    const id = idIn(allocation, 'interruptibleCapacityReservationId');
    feature.addInstance(targeting(id), 'i-1', NO_FLEET);

    expect(freeIn(feature, source.CapacityReservationId)).toBe('1');
    expect(describeWith(feature)).toContain(
      '<instanceLifecycle>interruptible-capacity-reservation</instanceLifecycle>',
    );
    ask(feature, 'UpdateInterruptibleCapacityReservationAllocation', {
      ...source,
      TargetInstanceCount: '0',
    });
    expect(freeIn(feature, source.CapacityReservationId)).toBe('2');
  });
});

const ACTIVE = { 'Filter.1.Name': 'state', 'Filter.1.Value.1': 'active' };
