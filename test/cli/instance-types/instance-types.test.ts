import { describe, expect, it } from 'vitest';
import { instanceTypesSchema } from '../../../cli/documents/instance-types.ts';
import { type Call, documentOf, mortise } from '../call.ts';

const POOLS = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    metadata: {labels: {team: shop}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g, a1]}
        - {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ['5']}
        - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a, us-east-1b]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {tier: private}}]
  securityGroupSelectorTerms: [{id: sg-1}]
`;
const BOTTLEROCKET = POOLS.slice(POOLS.indexOf('---\n') + 4)
  .replace('al2023', 'bottlerocket')
  .replace('spec:', 'spec:\n  kubelet: {maxPods: 20}');
const POD = `apiVersion: v1
kind: Pod
metadata: {name: big}
spec:
  nodeSelector: {kubernetes.io/arch: arm64}
  containers:
    - name: main
      image: scratch
      resources: {requests: {cpu: '3', memory: 12Gi}}
`;

const FILES = { 'pools.yaml': POOLS, 'class.yaml': BOTTLEROCKET, 'pod.yaml': POD };

const types = (flags: readonly string[], call: Call = {}) =>
  mortise(['instance-types', ...flags], { files: FILES, ...call });

const resultOf = async (...flags: readonly string[]) =>
  instanceTypesSchema.parse(documentOf(await types([...flags, '-o', 'json'])).result);

const namesOf = async (...flags: readonly string[]) => (await resultOf(...flags)).types.map(({ name }) => name);

describe('mortise instance-types', () => {
  it('shows more columns in wide tables', async () => {
    const { stdout } = await types(['--why', 'g4dn.xlarge', '-o', 'wide']);
    const wide = await types(['--gpus', '1', '--max-results', '1', '-o', 'wide']);

    expect(stdout).toContain('g4dn.xlarge fits');
    const [head, row] = wide.stdout.split('\n');
    expect(head).toMatch(/NETWORK +EBS +NVME +GPUS +ZONES$/);
    expect(row).toMatch(/ 1250 +4750 +- +1 t4g +[a-f](,[a-f])*$/);
  });

  it('lists the types of a pool, cheapest first, and counts the excluded ones', async () => {
    const { code, stdout, stderr } = await types(['-f', 'pools.yaml']);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `TYPE        ARCH   CPU    MEMORY   PODS  ON-DEMAND  SPOT FROM
m7g.medium  arm64  940m   3286Mi   8     $0.0408    $0.0137 us-east-1b
m7g.large   arm64  1930m  6844Mi   29    $0.0816    $0.0303 us-east-1b
m7g.xlarge  arm64  3920m  14103Mi  58    $0.1632    $0.0648 us-east-1a
3 of 1,391; excluded 1,382 requirement-conflict, 6 nodeclass-incompatible
`,
    });
    expect(stderr).toBe('warning: spot prices are a model, and zones those of one account: EC2 was not asked\n');
  });

  it("uses another class than the pool's, with other pod counts, memory and types", async () => {
    const { stdout } = await types(['-f', 'pools.yaml', '--nodeclass', 'class.yaml']);

    expect(stdout).toBe(`TYPE        ARCH   CPU    MEMORY   PODS  ON-DEMAND  SPOT FROM
a1.medium   arm64  940m   1260Mi   20    $0.0255    $0.0084 us-east-1a
m7g.medium  arm64  940m   3154Mi   20    $0.0408    $0.0137 us-east-1b
a1.large    arm64  1930m  3154Mi   20    $0.0510    $0.0159 us-east-1b
m7g.large   arm64  1930m  6943Mi   20    $0.0816    $0.0303 us-east-1b
a1.xlarge   arm64  3920m  6943Mi   20    $0.1020    $0.0336 us-east-1b
m7g.xlarge  arm64  3920m  14521Mi  20    $0.1632    $0.0648 us-east-1a
6 of 1,391; excluded 1,385 requirement-conflict
`);
  });

  it.each<[string, readonly string[], string]>([
    ['m7g.large', [], 'm7g.large fits\n  spot us-east-1b $0.0303\n'],
    [
      'm7g.2xlarge',
      [],
      'm7g.2xlarge excluded: requirement-conflict: karpenter.k8s.aws/instance-cpu is 8, wanted Lte [4]\n',
    ],
    ['a1.large', [], 'a1.large excluded: nodeclass-incompatible: AL2023 does not boot on a1\n'],
    ['m7g.large', ['--pod', 'pod.yaml'], 'm7g.large excluded: too-large: needs 3 cpu, has 1.93\n'],
    [
      'm7g.large',
      ['--capacity-type', 'spot', '--zone', 'us-east-1c'],
      'm7g.large excluded: no-offering-in-zone: is sold in us-east-1a, us-east-1b, us-east-1c, us-east-1d, us-east-1f; wanted DoesNotExist\n',
    ],
  ])('explains %s with %j', async (name, flags, text) => {
    const { code, stdout } = await types(['-f', 'pools.yaml', '--why', name, ...flags]);

    expect(code).toBe(0);
    expect(stdout.startsWith(text)).toBe(true);
  });

  it.each<[string, string]>([
    ['x8aedz.large', 'no-offering-in-zone: no zone of us-east-1 sells it'],
    ['t8i.nano', 'no-price: no price is known, so it cannot be weighed'],
    ['m5.large', 'requirement-conflict: kubernetes.io/arch is amd64, wanted In [arm64]'],
  ])('gives one reason for %s: %s', async (name, text) => {
    const flags = name === 'm5.large' ? ['--arch', 'arm64'] : [];
    const { stdout } = await types(['--why', name, ...flags]);

    expect(stdout).toBe(`${name} excluded: ${text}\n`);
  });

  it('lists the excluded types with --excluded', async () => {
    const { stdout } = await types(['-f', 'pools.yaml', '--excluded']);

    expect(stdout).toContain(`EXCLUDED             REASON                  WHY
a1.2xlarge           nodeclass-incompatible  AL2023 does not boot on a1
`);
    expect(stdout).toContain('instance-family is m6g, wanted In [a1, m7g]\n');
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ['--vcpus', '4', '--memory', '16Gi-16Gi', '--requirements', 'karpenter.k8s.aws/instance-family In m7g,m7i'],
      ['m7g.xlarge', 'm7i.xlarge'],
    ],
    [['--gpus', '8', '--requirements', 'karpenter.k8s.aws/instance-gpu-name In h100'], ['p5.48xlarge']],
    [
      [
        ...['--requirements', 'karpenter.k8s.aws/instance-family In [m7g]'],
        ...['--requirements', 'karpenter.k8s.aws/instance-cpu Gte 32'],
        ...['--requirements', 'karpenter.k8s.aws/instance-cpu Lt 64'],
      ],
      ['m7g.8xlarge', 'm7g.12xlarge'],
    ],
    [
      [
        ...['--requirements', 'karpenter.k8s.aws/instance-family In m7gd'],
        ...['--requirements', 'karpenter.k8s.aws/instance-cpu Gt 48', '--sort', 'name'],
      ],
      ['m7gd.16xlarge', 'm7gd.metal'],
    ],
    [
      [
        ...['--requirements', 'node.kubernetes.io/instance-type NotIn c5.large'],
        ...['--requirements', 'karpenter.k8s.aws/instance-family In c5', '--vcpus', '2'],
      ],
      [],
    ],
    [
      [
        ...['--requirements', 'karpenter.k8s.aws/instance-gpu-name DoesNotExist'],
        ...['--requirements', 'karpenter.k8s.aws/instance-accelerator-name Exists'],
        ...['--requirements', 'karpenter.k8s.aws/instance-size In xlarge'],
      ],
      ['inf1.xlarge', 'inf2.xlarge'],
    ],
  ])('selects for %j the types %j', async (flags, names) => {
    expect(await namesOf(...flags)).toEqual(names);
  });

  it('returns a document with quantities, labels, offerings, and a reason for each excluded type', async () => {
    const { types: listed, ...result } = await resultOf('-f', 'pools.yaml', '--zone', 'us-east-1a');
    const large = listed.find(({ name }) => name === 'm7g.large');

    expect(large).toMatchObject({
      arch: 'arm64',
      learned: false,
      capacity: { cpu: '2', memory: '7518Mi', 'ephemeral-storage': '20Gi', pods: '29' },
      allocatable: { cpu: '1930m', memory: '6844Mi', 'ephemeral-storage': '17Gi', pods: '29' },
      labels: { 'karpenter.k8s.aws/instance-generation': '7' },
      onDemandHourlyUsd: 0.0816,
      offerings: [
        { zone: 'us-east-1a', capacityType: 'spot' },
        { zone: 'us-east-1a', capacityType: 'on-demand', hourlyUsd: 0.0816 },
      ],
    });
    expect(result).toMatchObject({
      region: 'us-east-1',
      nodePool: 'general',
      nodeClass: 'default',
      onDemandPricesOf: '2026-07-20',
      spotPrices: 'model',
      total: 1391,
      matching: 3,
    });
    expect(result.excluded).toHaveLength(1388);
    expect(result.excluded.find(({ name }) => name === 'm5.large')).toEqual({
      name: 'm5.large',
      reason: {
        code: 'requirement-conflict',
        text: 'karpenter.k8s.aws/instance-family is m5, wanted In [a1, m7g]',
        fields: {
          key: 'karpenter.k8s.aws/instance-family',
          given: 'm5',
          wanted: 'In [a1, m7g]',
        },
      },
    });
  });

  it('prints twenty types by default, as many as requested, or all', async () => {
    const lines = async (...flags: readonly string[]) => (await types(flags)).stdout.split('\n').length;

    expect(await lines()).toBe(1 + 20 + 2 + 1);
    expect(await lines('--max-results', '5')).toBe(1 + 5 + 2 + 1);
    expect(await lines('--all')).toBeGreaterThan(1000);
  });

  it('prints names for scripts and warns that another region is not priced', async () => {
    const { stdout, stderr } = await types([
      ...['--region', 'eu-west-1', '--vcpus', '2', '--max-results', '1', '-o', 'name'],
      ...['--requirements', 'karpenter.k8s.aws/instance-family In m7g'],
    ]);

    expect(stdout).toBe('instancetype/m7g.large\n');
    expect(stderr).toContain('not priced: no prices of eu-west-1 are bundled');
  });
});

describe('wrong arguments of instance-types', () => {
  it.each<[readonly string[], string, string]>([
    [
      ['--requirements', 'instance-category In c'],
      'requirement "instance-category In [c]" chooses nothing',
      'karpenter.k8s.aws/instance-category',
    ],
    [
      ['--requirements', 'karpenter.k8s.aws/cpu Gt 4'],
      'requirement "karpenter.k8s.aws/cpu Gt [4]" chooses nothing',
      'karpenter.k8s.aws/instance-cpu',
    ],
    [
      ['--requirements', 'kubernetes.io/arhc In arm64'],
      'requirement "kubernetes.io/arhc In [arm64]" chooses nothing',
      'kubernetes.io/arch',
    ],
    [
      ['--requirements', 'karpenter.sh/capacity-type In spott'],
      'requirement "karpenter.sh/capacity-type In [spott]" is wrong',
      'fix:   write spot',
    ],
    [
      ['--requirements', 'karpenter.k8s.aws/instance-cpu Gt many'],
      'requirement "karpenter.k8s.aws/instance-cpu Gt [many]" is wrong',
      'need exactly one whole number',
    ],
    [['--requirements', 'kubernetes.io/arch in arm64'], '"in" is not one of its values', 'fix:   In'],
    [
      ['--requirements', 'kubernetes.io/arch=arm64'],
      '"kubernetes.io/arch=arm64" is no requirement',
      'Exists, DoesNotExist',
    ],
    [['--vcpus', '16-4'], '"16-4" is no range', 'written like 4-16, 4-, -16 or 8'],
    [['--memory', 'much'], '"much" is no range', 'written like 16Gi-64Gi'],
    [['--arch', 'x86'], '"x86" is not one of its values', 'allowed are amd64, arm64'],
    [['--zone', 'a'], '"a" is no zone', 'written like us-east-1a'],
    [['--region', 'us-east-1a'], '"us-east-1a" is no region', 'us-east-1'],
    [['--sort', 'speed'], '"speed" is not one of its values', 'price, name, cpu, memory, pods'],
  ])('explains how to write %j', async (flags, what, hint) => {
    const { code, stdout, stderr } = await types(flags);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(what);
    expect(stderr).toContain(hint);
  });

  it.each<[readonly string[], string, string]>([
    [['--why', 'm7g.larg'], 'no instance type m7g.larg', 'did you mean m7g.large'],
    [['-f', 'pools.yaml', '--nodepool', 'genral'], 'no NodePool genral', 'did you mean general'],
    [['--nodepool', 'general'], 'no NodePool general', '-f PATH: files that hold it'],
    [['--nodeclass', 'pod.yaml'], 'no EC2NodeClass', 'the file holds none'],
    [['--pod', 'class.yaml'], 'no pod', 'neither a pod nor a workload'],
  ])('says that %j names something that does not exist', async (flags, what, hint) => {
    const { code, stderr } = await types(flags);

    expect(code).toBe(5);
    expect(stderr).toContain(what);
    expect(stderr).toContain(hint);
  });

  it('asks which of several pools is meant', async () => {
    const two = `${POOLS}---\n${POOLS.slice(0, POOLS.indexOf('---')).replace('general', 'batch')}`;
    const { code, stderr } = await types(['-f', 'two.yaml'], { files: { 'two.yaml': two } });

    expect(code).toBe(2);
    expect(stderr).toContain('2 NodePools are in the files: general, batch');
    expect(stderr).toContain('--nodepool general');
  });

  it('warns of values that EC2 may have one day', async () => {
    const { code, stderr } = await types(['--requirements', 'karpenter.k8s.aws/instance-family In m7gg,m7g']);

    expect(code).toBe(0);
    expect(stderr).toContain('warning: --requirements: instance family "m7gg" is unknown; write m7g\n');
  });

  it('reports all wrong requirements at once', async () => {
    const { stderr } = await types(['--requirements', 'archh In a', '--requirements', 'zzz In b']);

    expect(stderr).toContain('"archh In [a]"');
    expect(stderr).toContain('"zzz In [b]"');
  });
});
