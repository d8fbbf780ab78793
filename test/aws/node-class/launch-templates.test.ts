import { describe, expect, it } from 'vitest';
import {
  createLaunchTemplates,
  removeClusterTemplates,
  removeTemplatesOf,
  removeUnusedTemplates,
} from '../../../shared/aws/node-class/launch-templates.ts';
import { toTemplateData } from '../../../shared/aws/node-class/template-data.ts';
import type { TemplateContent } from '../../../shared/ec2/node-class/launch-template/template-content.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { ec2Error, type FakeEc2, fakeEc2 } from '../support/fake-ec2.ts';
import { simTemplateUses } from '../support/template-uses.ts';

const aContent = (over: Partial<TemplateContent> = {}): TemplateContent => ({
  imageId: 'ami-1',
  instanceProfile: 'profile',
  userData: 'hello',
  blockDevices: [{ deviceName: '/dev/xvda', ebs: { sizeGib: 20, type: 'gp3', encrypted: true } }],
  metadata: {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  },
  detailedMonitoring: false,
  networkInterfaces: [{ networkCard: 0, device: 0, type: 'interface' }],
  securityGroups: ['sg-1'],
  tenancy: 'default',
  hasEnclaves: false,
  isSpot: false,
  tags: {
    'eks:eks-cluster-name': 'demo',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'karpenter.sh/nodepool': 'general',
    'kubernetes.io/cluster/demo': 'owned',
  },
  ...over,
});

const OTHER_TAGS = {
  ...aContent().tags,
  'eks:eks-cluster-name': 'other',
  'kubernetes.io/cluster/other': 'owned',
};

/** Two processes that share a table and one EC2. */
function aWorld(ec2: FakeEc2 = fakeEc2()) {
  const uses = simTemplateUses();
  let now = NOON;
  const clock = { now: () => now };
  const aProcess = () => createLaunchTemplates({ ec2: ec2.client, clock, uses }, { region: 'us-east-1' });
  return {
    ec2,
    uses,
    aProcess,
    pass: (ms: number) => {
      now += ms;
    },
    sweep: async () => removeUnusedTemplates(ec2.client, 'demo', await uses.list(now), now),
  };
}

describe('a launch template', () => {
  it('is created once per content, by the first launch that needs it', async () => {
    const { ec2, aProcess } = aWorld();
    const [one, other] = [aProcess(), aProcess()];

    const names = [await one.ensure(aContent()), await one.ensure(aContent()), await other.ensure(aContent())];

    expect(new Set(names).size).toBe(1);
    expect(ec2.templates.map(({ LaunchTemplateName }) => LaunchTemplateName)).toEqual([names[0]]);
  });

  it('is requested once for concurrent launches', async () => {
    const { ec2, uses, aProcess } = aWorld();
    const looks: string[] = [];
    const templates = createLaunchTemplates(
      {
        ec2: ec2.client,
        clock: { now: () => NOON },
        uses: {
          ...uses,
          until: (name, now) => {
            looks.push(name);
            return uses.until(name, now);
          },
        },
      },
      { region: 'us-east-1' },
    );

    await Promise.all(Array.from({ length: 50 }, () => templates.ensure(aContent())));

    expect(looks).toHaveLength(1);
    expect(await aProcess().ensure(aContent())).toBe(looks[0]);
    expect(ec2.templates).toHaveLength(1);
  });

  it('may be created by two processes at once', async () => {
    const { ec2, aProcess } = aWorld();

    const names = await Promise.all([aProcess().ensure(aContent()), aProcess().ensure(aContent())]);

    expect(new Set(names).size).toBe(1);
    expect(ec2.templateNames).toEqual([names[0]]);
  });

  it('is deleted after an hour without use', async () => {
    const { ec2, aProcess, pass, sweep } = aWorld();
    const used = await aProcess().ensure(aContent());
    await aProcess().ensure(aContent({ imageId: 'ami-2' }));

    pass(59 * MINUTE_MS);
    await aProcess().ensure(aContent());
    await sweep();
    expect(ec2.templateNames).toHaveLength(2);

    pass(2 * MINUTE_MS);
    await sweep();
    expect(ec2.templateNames).toEqual([used]);
  });

  it('is not deleted while a process assumes that it exists', async () => {
    const { ec2, aProcess, pass, sweep } = aWorld();
    const warm = aProcess();

    for (let minute = 0; minute < 180; minute += 9) {
      const name = await warm.ensure(aContent());
      expect(ec2.templateNames).toContain(name);
      pass(9 * MINUTE_MS);
      await sweep();
    }
    expect(ec2.templates).toHaveLength(1);
  });

  it('is created again after it was deleted by hand', async () => {
    const { ec2, aProcess } = aWorld();
    const templates = aProcess();
    const name = await templates.ensure(aContent());
    ec2.loseTemplates();

    templates.forget([name]);
    await templates.ensure(aContent());

    expect(ec2.templateNames).toEqual([name]);
  });

  it('stays if it belongs to another cluster or has another name', async () => {
    const { ec2, aProcess, pass, sweep } = aWorld();
    await aProcess().ensure(aContent({ tags: OTHER_TAGS }));
    pass(3 * HOUR_MS);

    await sweep();

    expect(ec2.templateNames).toHaveLength(1);
  });

  it('is deleted with its class, and those of other classes stay', async () => {
    const { ec2, aProcess } = aWorld();
    await aProcess().ensure(aContent());
    const tags = { ...aContent().tags, 'karpenter.k8s.aws/ec2nodeclass': 'other' };
    const other = await aProcess().ensure(aContent({ tags }));

    await removeTemplatesOf(ec2.client, 'demo', 'default');

    expect(ec2.templateNames).toEqual([other]);
  });

  it('is deleted with its cluster however new it is, and those of other clusters stay', async () => {
    const { ec2, aProcess } = aWorld();
    await aProcess().ensure(aContent());
    const other = await aProcess().ensure(aContent({ tags: OTHER_TAGS }));

    await removeClusterTemplates(ec2.client, 'demo');

    expect(ec2.templateNames).toEqual([other]);
  });

  it('throws the error of EC2 if it cannot be created', async () => {
    const ec2 = fakeEc2();
    const failing = { ...ec2, client: ec2.client };
    ec2.client.send = async () => {
      throw ec2Error('UnauthorizedOperation');
    };

    await expect(aWorld(failing).aProcess().ensure(aContent())).rejects.toThrow('Unauthorized');
  });
});

describe('the data of a template', () => {
  const tags = [
    { Key: 'eks:eks-cluster-name', Value: 'demo' },
    { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
    { Key: 'karpenter.sh/nodepool', Value: 'general' },
    { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
  ];

  it('is its content, with tags for the resources that a launch creates besides the instance', () => {
    expect(toTemplateData(aContent(), 'us-east-1')).toEqual({
      ImageId: 'ami-1',
      IamInstanceProfile: { Name: 'profile' },
      UserData: Buffer.from('hello').toString('base64'),
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20, VolumeType: 'gp3', Encrypted: true } }],
      MetadataOptions: {
        HttpEndpoint: 'enabled',
        HttpProtocolIpv6: 'disabled',
        HttpPutResponseHopLimit: 1,
        HttpTokens: 'required',
        InstanceMetadataTags: 'disabled',
      },
      Monitoring: { Enabled: false },
      NetworkInterfaces: [{ DeviceIndex: 0, InterfaceType: 'interface', Groups: ['sg-1'] }],
      CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
      Placement: { Tenancy: 'default' },
      EnclaveOptions: { Enabled: false },
      TagSpecifications: [{ ResourceType: 'network-interface', Tags: tags }],
    });
  });

  it('tags the spot request as well', () => {
    expect(toTemplateData(aContent({ isSpot: true }), 'us-east-1').TagSpecifications).toEqual([
      { ResourceType: 'network-interface', Tags: tags },
      { ResourceType: 'spot-instances-request', Tags: tags },
    ]);
  });

  it('leaves out IPv6 for metadata in regions that do not support it', () => {
    const { MetadataOptions } = toTemplateData(aContent(), 'us-iso-east-1');

    expect(MetadataOptions).not.toHaveProperty('HttpProtocolIpv6');
    expect(MetadataOptions).toMatchObject({ InstanceMetadataTags: 'disabled' });
  });

  it('gives IPv6 addresses to interfaces that carry IP', () => {
    const networkInterfaces = [
      { networkCard: 0, device: 0, type: 'interface', ipv6: { prefixes: 1 } },
      { networkCard: 1, device: 1, type: 'efa-only' },
    ] as const;

    expect(toTemplateData(aContent({ networkInterfaces }), 'us-east-1').NetworkInterfaces).toEqual([
      {
        DeviceIndex: 0,
        InterfaceType: 'interface',
        Groups: ['sg-1'],
        PrimaryIpv6: true,
        Ipv6AddressCount: 1,
        Ipv6PrefixCount: 1,
      },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', Groups: ['sg-1'] },
    ]);
  });
});
