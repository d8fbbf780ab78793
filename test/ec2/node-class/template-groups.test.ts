import { describe, expect, it } from 'vitest';
import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import {
  computeTemplateName,
  type TemplateContent,
} from '../../../shared/ec2/node-class/launch-template/template-content.ts';
import { groupByTemplate } from '../../../shared/ec2/node-class/launch-template/template-groups.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import type { ResolvedNodeClass } from '../../../shared/ports/node-classes.ts';
import { aNodeClaim } from '../../support/builders.ts';
import { anImage, aResolvedClass, aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';

interface Order {
  /** Fields of the class as a user writes them. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly claim?: Partial<NodeClaim>;
  readonly resolved?: Partial<ResolvedNodeClass>;
  readonly capacityType?: CapacityType;
  readonly types?: readonly string[];
}

function classOf(spec: Order['spec'], name: string): EC2NodeClass {
  const reading = readEC2NodeClass(name, aWrittenClass(spec));
  if (reading.outcome !== 'read') throw new Error('the class cannot be read');
  return reading.value;
}

function groupsOf(order: Order = {}) {
  const { spec, claim, capacityType = 'on-demand', types = ['m7i.large'] } = order;
  const resolved = aResolvedClass({ written: aWrittenClass(spec), ...order.resolved });
  const nodeClass = classOf(spec, resolved.name);
  const all = listInstanceTypes(nodeClass);
  const chosen = types.flatMap((name) => all.find((type) => type.name === name) ?? []);
  return groupByTemplate(aNodeClaim(claim), resolved, nodeClass, capacityType, chosen);
}

function contentOf(order: Order = {}): TemplateContent {
  const [group] = groupsOf(order);
  if (!group) throw new Error('no template');
  return group.content;
}

const nameOf = (order: Order = {}): string => computeTemplateName(contentOf(order));

describe('the instance types of one launch', () => {
  it('share a template if image and number of pods are equal', () => {
    const types = ['m7i.large', 'c7i.large', 'm7i.xlarge', 'm7g.large'];

    expect(groupsOf({ types }).map(({ instanceTypes }) => instanceTypes)).toEqual([
      ['m7i.large', 'c7i.large'],
      ['m7i.xlarge'],
      ['m7g.large'],
    ]);
    expect(groupsOf({ types, spec: { kubelet: { maxPods: 110 } } }).map((one) => one.instanceTypes)).toEqual([
      ['m7i.large', 'c7i.large', 'm7i.xlarge'],
      ['m7g.large'],
    ]);
  });

  it('use the first image that fits them, and are left out without one', () => {
    const types = ['m7i.large', 'm7g.large'];
    const images = [anImage({ id: 'ami-new' }), anImage({ id: 'ami-old' })];

    expect(
      groupsOf({ types, resolved: { images } }).map(({ content, instanceTypes }) => [content.imageId, instanceTypes]),
    ).toEqual([['ami-new', ['m7i.large']]]);
  });
});

describe('the name of a template', () => {
  it('is equal for equal content, whatever the order of lists and types', () => {
    const claim = { instanceTypes: ['m7i.xlarge'] };
    const securityGroups = [
      { id: 'sg-1', name: 'a' },
      { id: 'sg-2', name: 'b' },
    ];
    const reversed = securityGroups.toReversed();

    expect(nameOf({ claim })).toBe(nameOf());
    expect(nameOf({ resolved: { securityGroups: reversed } })).toBe(nameOf({ resolved: { securityGroups } }));
  });

  it.each<[string, Order]>([
    ['the class', { claim: { nodeClass: { ...aNodeClaim().nodeClass, name: 'other' } } }],
    ['a startup taint', { claim: { startupTaints: [{ key: 'a', effect: 'NoSchedule' }] } }],
    ['a label', { claim: { labels: { team: 'b' } } }],
    ['the capacity type', { capacityType: 'spot' }],
    ['the image', { resolved: { images: [anImage({ id: 'ami-2' })] } }],
    ['the profile', { resolved: { instanceProfile: 'another' } }],
    ['the groups', { resolved: { securityGroups: [] } }],
    ['a tag', { spec: { tags: { a: 'b' } } }],
    ['the user data', { spec: { userData: '#!/bin/bash' } }],
    ['a field of the kubelet', { spec: { kubelet: { registryPullQPS: 10 } } }],
    ['a volume', { spec: { blockDeviceMappings: [{ ebs: { volumeSize: '30Gi' } }] } }],
    ['monitoring', { spec: { detailedMonitoring: true } }],
    ['metadata', { spec: { metadataOptions: { httpPutResponseHopLimit: 2 } } }],
    ['the certificate', { resolved: { cluster: { ...CLUSTER_FACTS, certificateAuthority: 'x' } } }],
  ])('is different for different content: %s', (_, order) => {
    expect(nameOf(order)).not.toBe(nameOf());
  });

  it("fits a launch template, and the cluster's tags mark the owner", () => {
    expect(nameOf()).toMatch(/^karpenter\.k8s\.aws\/[0-9a-f]{16}$/);
    expect(contentOf({ spec: { tags: { a: 'b', Name: 'mine' } } }).tags).toEqual({
      a: 'b',
      Name: 'mine',
      'kubernetes.io/cluster/demo': 'owned',
      'eks:eks-cluster-name': 'demo',
      'karpenter.sh/nodepool': 'general',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    });
  });
});

describe('volumes', () => {
  const devicesOf = (spec: NonNullable<Order['spec']>) => contentOf({ spec }).blockDevices;
  const sizesOf = (spec: NonNullable<Order['spec']>) => devicesOf(spec).map(({ ebs }) => ebs?.sizeGib);
  const family = (amiFamily: string) => ({ amiFamily, amiSelectorTerms: [{ id: 'ami-1' }] });

  it('have whole gibibytes, rounded up', () => {
    const blockDeviceMappings = ['200G', '200Gi', '4G', '2G'].map((volumeSize) => ({
      ebs: { volumeSize },
    }));

    expect(sizesOf({ blockDeviceMappings })).toEqual([187, 200, 4, 2]);
  });

  it.each([
    ['AL2023', [20]],
    ['AL2', [20]],
    ['Bottlerocket', [4, 20]],
    ['Windows2022', [50]],
    ['Custom', []],
  ])('of %s are by default: %j', (name, sizes) => {
    const forAll = anImage({ requirements: [] });
    const order = { spec: family(name), resolved: { images: [forAll] } };
    const { blockDevices } = contentOf(order);

    expect(blockDevices.map(({ ebs }) => ebs?.sizeGib)).toEqual(sizes);
    expect(blockDevices.every(({ ebs }) => ebs?.type === 'gp3' && ebs.encrypted)).toBe(true);
  });

  it('are as the class writes them', () => {
    const ebs = {
      volumeSize: '100Gi',
      volumeType: 'io2',
      snapshotID: 'snap-1',
      encrypted: false,
      deleteOnTermination: true,
      iops: 4000,
      throughput: 0,
      volumeInitializationRate: 200,
      kmsKeyID: 'key',
    };

    expect(devicesOf({ blockDeviceMappings: [{ deviceName: '/dev/xvdb', ebs }] })).toEqual([
      {
        deviceName: '/dev/xvdb',
        ebs: {
          sizeGib: 100,
          type: 'io2',
          snapshotId: 'snap-1',
          encrypted: false,
          deleteOnTermination: true,
          iops: 4000,
          initializationRate: 200,
          kmsKeyId: 'key',
        },
      },
    ]);
  });
});

describe('network interfaces', () => {
  const interfacesOf = (order: Order) => contentOf(order).networkInterfaces;
  const onIpv6 = { cluster: { ...CLUSTER_FACTS, dnsIp: 'fd30::a' } };
  const withEfaOnly = {
    networkInterfaces: [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
    ],
  };

  it('are one by default', () => {
    expect(interfacesOf({})).toEqual([{ networkCard: 0, device: 0, type: 'interface' }]);
  });

  it.each([true, false])('have a public address as the class configures it: %s', (value) => {
    expect(interfacesOf({ spec: { associatePublicIPAddress: value } })).toMatchObject([{ publicAddress: value }]);
  });

  it.each([0, 1, 10, 100])('have %i prefixes, by the IP family of the cluster', (count) => {
    const spec = { ipPrefixCount: count };

    expect(interfacesOf({ spec })).toMatchObject([{ ipv4Prefixes: count }]);
    const [one] = interfacesOf({ spec, resolved: onIpv6 });
    expect(one).toMatchObject({ ipv6: { prefixes: count } });
    expect(one).not.toHaveProperty('ipv4Prefixes');
  });

  it('are those that the class lists, without IP settings for efa-only', () => {
    const spec = {
      ...withEfaOnly,
      ipPrefixCount: 2,
      associatePublicIPAddress: true,
      connectionTracking: { udpTimeout: 60 },
    };
    const efa = { requests: { 'vpc.amazonaws.com/efa': 1 } };
    const resolved = { ...onIpv6, images: [anImage({ requirements: [] })] };

    expect(interfacesOf({ spec, resolved, claim: efa, types: ['p5.48xlarge'] })).toEqual([
      {
        networkCard: 0,
        device: 0,
        type: 'interface',
        publicAddress: true,
        ipv6: { prefixes: 2 },
        connectionTracking: { udp: 60 },
      },
      { networkCard: 1, device: 1, type: 'efa-only' },
    ]);
  });

  it('are all EFA interfaces of the type if the claim requests EFA', () => {
    const claim = { requests: { 'vpc.amazonaws.com/efa': 1 } };
    const images = [anImage({ requirements: [] })];

    const interfaces = interfacesOf({ claim, types: ['p5.48xlarge'], resolved: { images } });

    expect(interfaces).toHaveLength(32);
    expect(interfaces.slice(0, 2)).toEqual([
      { networkCard: 0, device: 0, type: 'efa' },
      { networkCard: 1, device: 1, type: 'efa' },
    ]);
  });
});

describe('the other content of a template', () => {
  it('enables enclaves if the claim requests the sandbox', () => {
    expect(contentOf().hasEnclaves).toBe(false);
    const claim = { requests: { 'eks.amazonaws.com/nitro-sandbox': 1 } };
    expect(contentOf({ claim }).hasEnclaves).toBe(true);
  });

  it.each([true, false])('has enclaves as the class says: %s', (enabled) => {
    const types = ['m7i.xlarge'];

    expect(contentOf({ types, spec: { enclaveOptions: { enabled } } }).hasEnclaves).toBe(enabled);
  });

  it.each([
    [undefined, 'default'],
    [['default', 'dedicated'], 'default'],
    [['dedicated'], 'dedicated'],
  ] as const)('has dedicated tenancy only if nothing else is allowed: %j', (values, tenancy) => {
    const key = 'karpenter.k8s.aws/instance-tenancy';
    const requirements = values ? [{ key, operator: 'In', values } as const] : [];

    expect(contentOf({ claim: { requirements } }).tenancy).toBe(tenancy);
  });

  it("contains the node's labels, without those that a kubelet may not set itself", () => {
    const labels = {
      team: 'a',
      'foo.kubernetes.io/bar': '1',
      'k8s.io/x': '1',
      'node-restriction.kubernetes.io/y': '1',
    };
    const resolved = { key: 'example.com/tier', operator: 'In', values: ['gold'] } as const;
    const { userData } = contentOf({ claim: { labels, requirements: [resolved] } });

    expect(/--node-labels="([^"]*)"/.exec(userData)?.[1]?.split(',')).toEqual([
      'example.com/tier=gold',
      'karpenter.sh/capacity-type=on-demand',
      'karpenter.sh/do-not-sync-taints=true',
      'team=a',
    ]);
  });

  it('contains the DNS of the cluster, or the one of the class', () => {
    expect(contentOf().userData).toContain('- 10.100.0.10');
    expect(contentOf({ spec: { kubelet: { clusterDNS: ['10.0.0.9'] } } }).userData).toContain('- 10.0.0.9');
  });
});
