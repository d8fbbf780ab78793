import { describe, expect, it } from 'vitest';
import { validationSchema } from '../../../cli/documents/validation.ts';
import { documentOf, mortise } from '../call.ts';

/** A class with `fields` besides those it must have; one of them may be replaced. */
const classWith = (fields: string, replaced = ''): string =>
  [
    'apiVersion: karpenter.k8s.aws/v1',
    'kind: EC2NodeClass',
    'metadata: {name: default}',
    'spec:',
    ...[
      'role: nodes',
      'amiSelectorTerms: [{alias: al2023@latest}]',
      'subnetSelectorTerms: [{tags: {tier: private}}]',
      'securityGroupSelectorTerms: [{id: sg-1}]',
    ].filter((line) => replaced === '' || !line.startsWith(replaced)),
    ...fields.split('\n'),
  ]
    .map((line, index) => (index > 3 ? `  ${line}` : line))
    .join('\n');

interface PoolParts {
  readonly spec?: string;
  readonly template?: string;
  readonly metadata?: string;
  readonly labels?: string;
  readonly requirements?: string;
}

const poolWith = ({ spec, template, metadata, labels, requirements = '[]' }: PoolParts): string =>
  `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: ${metadata ?? '{name: general}'}
spec:
  ${spec ?? ''}
  template:
    metadata: {labels: {${labels ?? ''}}}
    spec:
      ${template ?? ''}
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: ${requirements}
`;

async function problemsOf(text: string, file = 'all.yaml') {
  const outcome = await mortise(['validate', '-f', file, '-o', 'json'], {
    files: { [file]: text },
  });
  const { objects } = validationSchema.parse(documentOf(outcome).result);
  return objects.flatMap((object) => object.problems);
}

const fixesOf = async (text: string) => (await problemsOf(text)).map(({ fix }) => fix);

describe('the fix of a value without quotes', () => {
  it.each([
    ['a version', poolWith({ labels: 'example.com/kernel: 6.10' }), 'put it in quotes: "6.10"'],
    ['an octal number', poolWith({ labels: 'example.com/rack: 0012' }), 'put it in quotes: "0012"'],
    ['a word of YAML 1.1', poolWith({ labels: 'example.com/gpu: off' }), 'put it in quotes: "off"'],
    ['an exponent', poolWith({ labels: 'example.com/sha: 31e4' }), 'put it in quotes: "31e4"'],
    [
      'a number behind an alias',
      `x-release: &release 2.30\n${poolWith({ labels: 'example.com/release: *release' })}`,
      'put it in quotes: "2.30"',
    ],
    [
      'the value of a taint',
      poolWith({ template: 'taints: [{key: a/b, value: 3.0, effect: NoSchedule}]' }),
      'put it in quotes: "3.0"',
    ],
    [
      'the value of a requirement',
      poolWith({
        requirements: '[{key: example.com/generation, operator: In, values: [5.00]}]',
      }),
      'put it in quotes: "5.00"',
    ],
  ])('quotes %s as it is written', async (_, text, fix) => {
    expect(await fixesOf(text)).toContain(fix);
  });

  it('quotes the value of a workload as it is written', async () => {
    const { stderr } = await mortise(['simulate', '-f', 'web.yaml'], {
      files: {
        'web.yaml': `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {release: 1.40}}
spec: {containers: [{name: web, image: web}]}
`,
      },
    });

    expect(stderr).toContain('put it in quotes: "1.40"');
  });
});

describe('the fix of a field or value of an earlier version', () => {
  it.each([
    [poolWith({ spec: 'disruption: {expireAfter: 240h}' }), 'spec.template.spec.expireAfter'],
    [poolWith({ spec: 'ttlSecondsUntilExpired: 7200' }), 'spec.template.spec.expireAfter'],
    [poolWith({ spec: 'ttlSecondsAfterEmpty: 60' }), 'spec.disruption.consolidateAfter'],
    [poolWith({ spec: 'consolidation: {enabled: true}' }), 'WhenEmptyOrUnderutilized'],
    [poolWith({ spec: 'providerRef: {name: default}' }), 'nodeClassRef'],
    [poolWith({ spec: 'labels: {team: a}' }), 'spec.template.metadata.labels'],
    [poolWith({ spec: 'taints: []' }), 'spec.template.spec.taints'],
    [poolWith({ spec: 'limits: {resources: {memory: 8Gi}}' }), 'limits.memory'],
    [
      poolWith({
        spec: 'disruption: {consolidationPolicy: WhenUnderutilized, consolidateAfter: 1m}',
      }),
      'write WhenEmptyOrUnderutilized',
    ],
    [poolWith({ template: 'kubelet: {podsPerCore: 4}' }), 'EC2NodeClass'],
    [classWith('subnetSelector: {tier: private}', 'subnetSelectorTerms'), 'subnetSelectorTerms'],
    [classWith('securityGroupSelector: {a: b}'), 'securityGroupSelectorTerms'],
    [classWith('amiSelector: {"aws::name": mine}', 'amiSelectorTerms'), 'amiSelectorTerms'],
    [classWith('launchTemplate: mine'), 'userData'],
    [classWith('subnetSelectorTerms: [{aws-ids: subnet-1}]', 'subnetSelectorTerms'), 'write id, one term for each ID'],
  ])('names its place of today: %#', async (text, today) => {
    const problems = await problemsOf(text);

    expect(problems.some(({ fix }) => fix.includes(today))).toBe(true);
    expect(problems.every(({ fix }) => !fix.startsWith('take it out; allowed'))).toBe(true);
  });
});

describe('the fix of a volume size', () => {
  const sizeFix = async (size: string) =>
    (await fixesOf(classWith(`blockDeviceMappings: [{ebs: {volumeSize: ${size}}}]`)))[0];

  it.each([
    ['0.25Ti', '256Gi'],
    ['1.5Ti', '1536Gi'],
    ['102400Mi', '100Gi'],
    ['53687091200', '50Gi'],
    ['100', '100Gi'],
    ['100GB', '100G'],
    ['0.5T', '500G'],
    ['60Ti', '58Ti'],
    ['99999Gi', '58Ti'],
    ['80T', '64T'],
    ['0Gi', '20Gi, for example'],
    ['-5Gi', '20Gi, for example'],
    ['big', '20Gi, for example'],
  ])('means for %s what was written: %s', async (size, meant) => {
    expect(await sizeFix(size)).toBe(`write ${meant}`);
  });
});

describe('the fix of a duration', () => {
  it.each([
    ['2w', '336h'],
    ['30D', '720h'],
    ['14 days', '336h'],
    ['1d12h', '36h'],
    ['1y', '8760h'],
    ['P7D', '168h'],
    ['90 min', '1h30m'],
    ['600', '600s'],
    ['500ms', '1s'],
    ['soon', '720h, for example'],
  ])('means for expireAfter: %s what was written: %s', async (written, meant) => {
    expect(await fixesOf(poolWith({ template: `expireAfter: ${written}` }))).toEqual([`write ${meant}`]);
  });
});

describe('performance that EC2 does not sell', () => {
  const volume = (fields: string) => classWith(`blockDeviceMappings: [{ebs: {${fields}}}]`);

  it.each([
    ['volumeSize: 500Gi, volumeType: gp3, iops: 80000, throughput: 2000'],
    ['volumeSize: 500Gi, volumeType: io2, iops: 256000'],
    ['volumeSize: 2000Gi, volumeType: io1, iops: 64000'],
    ['volumeSize: 20Gi, volumeType: gp3, throughput: 750'],
    ['volumeSize: 4Gi, iops: 3000'],
  ])('is not claimed of {%s}', async (fields) => {
    expect(await problemsOf(volume(fields))).toEqual([]);
  });

  it.each([
    ['volumeSize: 1Ti, volumeType: gp3, iops: 90000', 'write 80000'],
    ['volumeSize: 100Gi, volumeType: gp3, iops: 60000', 'write 50000'],
    ['volumeSize: 100Gi, volumeType: gp3, iops: 4000, throughput: 1500', 'write 1000'],
    ['volumeSize: 100Gi, volumeType: gp3, throughput: 2500', 'write 2000'],
    ['volumeSize: 100Gi, volumeType: io1, iops: 6000', 'write 5000'],
    ['volumeSize: 100Gi, volumeType: io2', 'add iops'],
    ['volumeSize: 100Gi, volumeType: gp2, iops: 4000', 'take iops out, or write volumeType: gp3 or io1 or io2'],
  ])('is warned of, with what it sells: {%s}', async (fields, fix) => {
    expect(await fixesOf(volume(fields))).toEqual([fix]);
  });
});

describe('a text that is still to be filled in', () => {
  it.each([
    [classWith('amiFamily: AL2023\namiSelectorTerms: [{id: "${AMI}"}]', 'amiSelectorTerms')],
    [classWith('securityGroupSelectorTerms: [{id: "${SG_ID:-none}"}]', 'securityGroupSelectorTerms')],
    [poolWith({ metadata: '{name: "${TEAM}-spot"}' })],
    [poolWith({ metadata: '{name: "{{ .Values.name }}"}' })],
    [poolWith({ labels: '"${DOMAIN}/team": a' })],
    [poolWith({ metadata: '{name: "<pool name>"}' })],
  ])('is named as such, and not as a spelling mistake: %#', async (text) => {
    const fixes = await fixesOf(text);

    expect(fixes).not.toEqual([]);
    for (const fix of fixes) expect(fix).toMatch(/fill it in first|write the value itself/);
  });

  it.each([
    ['a directive of Terraform', 'values:\n%{ for zone in zones ~}\n  - ${zone}\n%{ endfor ~}\n', /templatefile/],
    ['a condition of Terraform', '%{ if spot }\nkind: NodePool\n%{ endif }\n', /templatefile/],
    ['an action of Helm', '{{- if .Values.pool }}\nkind: NodePool\n{{- end }}\n', /helm template/],
    ['a statement of Jinja', '{% for pool in pools %}\nkind: NodePool\n{% endfor %}\n', /render it/],
  ])('is named with the program that fills it in: %s', async (_, text, fix) => {
    const [problem] = await problemsOf(text);

    expect(problem?.fix).toMatch(fix);
  });
});

describe('a text with several objects', () => {
  const [first, second] = ['a', 'b'].map((name) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  );

  it.each([
    ['a line each', `${first}\n${second}\n`],
    ['no space between', `${first}${second}`],
    [
      'indented, with strings that look like ends',
      `\n ${first}\n\n {"kind":"Namespace",\n"apiVersion":"v1","metadata":{"name":"c","annotations":{"x":"}{\\"]"}}}`,
    ],
  ])('may be a stream of JSON objects: %s', async (_, text) => {
    const outcome = await mortise(['validate', '-f', 'all.json', '-o', 'json'], {
      files: { 'all.json': text },
    });

    expect(validationSchema.parse(documentOf(outcome).result).objects).toHaveLength(2);
  });

  it('gives the place of a fault in a stream of JSON objects', async () => {
    const [problem] = await problemsOf(
      `${first}\n{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"x"},\n "spec":{"weight":0}}`,
    );

    expect(problem).toMatchObject({ line: 3, path: 'spec.template' });
  });

  it.each([
    ['NodePoolList', 'karpenter.sh/v1', 'NodePool'],
    ['EC2NodeClassList', 'karpenter.k8s.aws/v1', 'EC2NodeClass'],
    ['PodList', 'v1', 'Pod'],
  ])('may be a %s, whose items take their kind from it', async (kind, apiVersion, itemKind) => {
    const outcome = await mortise(['validate', '-f', 'all.yaml', '-o', 'json'], {
      files: {
        'all.yaml': JSON.stringify({ apiVersion, kind, items: [{ metadata: { name: 'a' } }] }),
      },
    });

    expect(validationSchema.parse(documentOf(outcome).result).objects).toMatchObject([{ kind: itemKind, name: 'a' }]);
  });

  it('is refused if nothing separates them, because the first would be lost', async () => {
    const [problem] = await problemsOf(`${poolWith({})}${classWith('')}`);

    expect(problem).toMatchObject({ line: 12, fix: 'put a line --- between them' });
  });
});

describe('requirements that leave no instance type', () => {
  it.each([
    [
      '[{key: karpenter.k8s.aws/instance-family, operator: In, values: [c7i, m7i]}, {key: kubernetes.io/arch, operator: In, values: [arm64]}]',
      2,
    ],
    ['[{key: karpenter.k8s.aws/instance-cpu, operator: In, values: ["5"]}]', 1],
    ['[{key: karpenter.k8s.aws/instance-memory, operator: Gt, values: ["68719476736"]}]', 1],
    [
      '[{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ["16"]}, {key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["16"]}]',
      2,
    ],
    [
      '[{key: karpenter.sh/capacity-type, operator: In, values: [spot]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]',
      2,
    ],
    [
      '[{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}, {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1b]}]',
      2,
    ],
  ])('are warned of, with the ones that exclude each other: %#', async (requirements, number) => {
    const why = (await problemsOf(poolWith({ requirements })))
      .filter(({ rule }) => rule === 'no-types')
      .map((problem) => problem.why);

    expect(why).toHaveLength(1);
    expect(why[0]?.match(/ (In|Gt|Lt) \[/g)).toHaveLength(number);
  });

  it.each([
    ['[{key: kubernetes.io/os, operator: In, values: [windows]}]'],
    ['[{key: example.com/team, operator: In, values: [a]}]'],
    ['[{key: karpenter.k8s.aws/instance-family, operator: NotIn, values: [c5]}]'],
    ['[{key: karpenter.k8s.aws/instance-gpu-count, operator: Gt, values: ["0"]}]'],
  ])('are not seen where there are types: %s', async (requirements) => {
    expect(await problemsOf(poolWith({ requirements }))).toEqual([]);
  });
});

describe('the nearest value', () => {
  it.each([
    ['instance-category', 'a', 'take it out, or correct it'],
    ['instance-family', 'c1x', 'take it out, or correct it'],
    ['instance-family', 'm6gx', 'write m6g'],
    ['instance-family', 'c7ii', 'write c7i'],
    ['instance-generation', '11', 'take it out, or correct it'],
  ])('of %s %s is of its own line: %s', async (label, value, fix) => {
    const requirements = `[{key: karpenter.k8s.aws/${label}, operator: In, values: ["${value}", c6i, m, "6"]}]`;

    expect(await fixesOf(poolWith({ requirements }))).toContain(fix);
  });
});

describe('a file that a kustomization uses as a part', () => {
  const kustomization = (fields: string) => `resources: [base]\n${fields}`;

  it.each([
    ['patches: [{path: part.yaml}]', '- {op: remove, path: /spec/limits}'],
    [
      'patchesStrategicMerge: [./part.yaml]',
      'kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: a}\nspec: {weight: 3}',
    ],
    ['patchesJson6902: [{path: part.yaml, target: {kind: NodePool}}]', '[{op: remove, path: /spec}]'],
    ['configMapGenerator: [{name: a, files: [values.yaml=part.yaml]}]', 'replicas: 3'],
  ])('is not judged: %s', async (fields, part) => {
    const files = { 'k/kustomization.yaml': kustomization(fields), 'k/part.yaml': part };
    const outcome = await mortise(['validate', '-f', 'k', '-o', 'json'], { files });
    const { objects } = validationSchema.parse(documentOf(outcome).result);

    expect(outcome.code).toBe(0);
    expect(objects.map(({ verdict }) => verdict)).toEqual(['not-judged', 'not-judged']);
    for (const { problems } of objects) expect(problems[0]?.fix).toContain('kubectl kustomize');
  });

  it('is judged if it is a resource as well', async () => {
    const files = {
      'k/kustomization.yaml': 'resources: [part.yaml]\npatches: [{path: part.yaml}]',
      'k/part.yaml': 'kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: a}\nspec: {weight: 3}',
    };

    expect((await mortise(['validate', '-f', 'k'], { files })).code).toBe(1);
  });
});
