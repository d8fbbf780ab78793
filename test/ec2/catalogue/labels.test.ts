import { describe, expect, it } from 'vitest';
import { EC2_TYPES } from '../../../shared/ec2/catalogue/ec2-types.ts';
import { buildTypeLabels } from '../../../shared/ec2/catalogue/type-labels.ts';
import { WELL_KNOWN_LABELS } from '../../../shared/model/labels.ts';
import { ec2Type } from './ec2-type.ts';

const PREFIX = 'karpenter.k8s.aws/instance-';

const prefixed = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));

describe('labels', () => {
  it('of g4dn.8xlarge are complete', () => {
    expect(buildTypeLabels(ec2Type('g4dn.8xlarge'), 'AL2023')).toEqual({
      'node.kubernetes.io/instance-type': 'g4dn.8xlarge',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/region': 'us-east-1',
      'karpenter.k8s.aws/nitro-sandbox': 'true',
      ...prefixed({
        category: 'g',
        generation: '4',
        family: 'g4dn',
        size: '8xlarge',
        'capability-flex': 'false',
        cpu: '32',
        'cpu-manufacturer': 'intel',
        'cpu-sustained-clock-speed-mhz': '2500',
        memory: '131072',
        'gpu-name': 't4',
        'gpu-manufacturer': 'nvidia',
        'gpu-count': '1',
        'gpu-memory': '16384',
        'local-nvme': '900',
        'ebs-bandwidth': '9500',
        'network-bandwidth': '50000',
        hypervisor: 'nitro',
        'encryption-in-transit-supported': 'true',
      }),
    });
  });

  it('of inf2.xlarge name an accelerator and no GPU', () => {
    const labels = buildTypeLabels(ec2Type('inf2.xlarge'), 'AL2023');

    expect(labels).toMatchObject(
      prefixed({
        cpu: '4',
        memory: '16384',
        'accelerator-name': 'inferentia2',
        'accelerator-manufacturer': 'aws',
        'accelerator-count': '1',
        'cpu-manufacturer': 'amd',
        'cpu-sustained-clock-speed-mhz': '3600',
        'ebs-bandwidth': '10000',
        'network-bandwidth': '2083',
      }),
    );
    expect(Object.keys(labels).filter((key) => key.includes('-gpu-'))).toEqual([]);
  });

  it.each([
    ['m7i-flex.large', 'true'],
    ['m5.large', 'false'],
  ])('of %s have capability-flex %s', (name, flex) => {
    expect(buildTypeLabels(ec2Type(name), 'AL2023')[`${PREFIX}capability-flex`]).toBe(flex);
  });

  it.each([
    ['u-6tb1.112xlarge', 'u', '1'],
    ['u7i-12tb.224xlarge', 'u', '7'],
    ['m7g.large', 'm', '7'],
    ['c8i-flex.xlarge', 'c', '8'],
    ['hpc7g.4xlarge', 'hpc', '7'],
    ['im4gn.large', 'im', '4'],
    ['p6-b200.48xlarge', 'p', '6'],
  ])('of %s have category %s and generation %s', (name, category, generation) => {
    expect(buildTypeLabels(ec2Type(name), 'AL2023')).toMatchObject(prefixed({ category, generation }));
  });

  it('of a name in another form have neither category nor generation', () => {
    const mac = { ...ec2Type('m5.large'), name: 'mac.metal' };

    expect(buildTypeLabels(mac, 'AL2023')).not.toHaveProperty([`${PREFIX}category`]);
  });

  it.each([
    ['m5.metal', ''],
    ['m4.large', 'xen'],
    ['m5.large', 'nitro'],
  ])('of %s have the hypervisor %j', (name, hypervisor) => {
    expect(buildTypeLabels(ec2Type(name), 'AL2023')[`${PREFIX}hypervisor`]).toBe(hypervisor);
  });

  it.each([
    ['m5.xlarge', 'true'],
    ['m5.large', 'false'],
    ['m5.metal', 'false'],
  ])('of %s have nitro-sandbox %s', (name, sandbox) => {
    expect(buildTypeLabels(ec2Type(name), 'AL2023')['karpenter.k8s.aws/nitro-sandbox']).toBe(sandbox);
  });

  it('of Windows contain its build', () => {
    expect(buildTypeLabels(ec2Type('m5.large'), 'Windows2022')).toMatchObject({
      'kubernetes.io/os': 'windows',
      'node.kubernetes.io/windows-build': '10.0.20348',
    });
  });

  it('are well-known keys only, with a value', () => {
    const wrong = EC2_TYPES.flatMap((type) =>
      Object.entries(buildTypeLabels(type, 'AL2023')).filter(
        ([key, value]) => !WELL_KNOWN_LABELS.has(key) || (value === '' && key !== `${PREFIX}hypervisor`),
      ),
    );

    expect(wrong).toEqual([]);
  });
});
