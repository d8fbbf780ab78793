import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validationSchema } from '../../../cli/documents/validation.ts';
import { findClassRefusal } from '../../../cli/manifests/node-class-refusal.ts';
import { listRuntimeFaults } from '../../../shared/api/runtime-validation/faults.ts';
import { validateNodeClass } from '../../../shared/ec2/node-class/validation.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { GUIDES } from '../../api/support/guides.ts';
import { aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';
import { documentOf, mortise } from '../call.ts';

const CLASS = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {tier: private}}]
  securityGroupSelectorTerms: [{id: sg-1}]
`;

const pool = (spec = '', requirements = '[]', name = 'general') => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec:
  ${spec}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: ${requirements}
`;

const validate = (text: string, ...flags: readonly string[]) =>
  mortise(['validate', '-f', 'pools.yaml', ...flags], { files: { 'pools.yaml': text } });

/** Families, kubelet settings, tags and user data, each of them valid for some families only. */
const anyClassSpec = fc.record({
  amiSelectorTerms: fc
    .constantFrom('al2', 'al2023', 'bottlerocket', 'windows2022')
    .map((family) => [{ alias: `${family}@latest` }]),
  kubelet: fc.constantFrom(
    {},
    { podsPerCore: 4 },
    { clusterDNS: ['10.0.0.1', '10.0.0.2'] },
    { registryPullQPS: 5 },
    { maxPods: 'vcpus * 8' },
    { kubeReserved: { gpu: '1' } },
  ),
  tags: fc.constantFrom({}, { team: 'a' }, { 'kubernetes.io/cluster/shop': 'owned' }),
  userData: fc.constantFrom(
    '',
    '#!/bin/bash\necho hi',
    '[settings.kernel]\nlockdown = "none"',
    'x'.repeat(17_000),
    'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n',
  ),
});

describe('mortise validate', () => {
  it('accepts valid manifests in one line', async () => {
    expect(await validate(CLASS + pool())).toEqual({
      code: 0,
      stdout: '2 objects: 2 accepted, 0 refused\n',
      stderr: '',
    });
  });

  it('shows control characters of a name as escapes', async () => {
    const { stdout, stderr } = await validate(CLASS + pool('', '[]', '"a\\e[2Jb"'));

    expect(stdout + stderr).toContain('\\u001b[2J');
    expect(stdout + stderr).not.toContain('\u001b');
  });

  it('names place, rule and fix of a refusal', async () => {
    const { code, stdout } = await validate(CLASS + pool('limits: {cpu: 4GiB}'));

    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'pools.yaml:14:17 refused NodePool/general spec.limits.cpu: "4GiB" is no quantity: a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none; write 4Gi',
      '2 objects: 1 accepted, 1 refused',
      '',
    ]);
  });

  it('names the rule of a refusal by CEL', async () => {
    const { stdout } = await validate(pool('weight: 5\n  replicas: 1'));

    expect(stdout).toContain(
      'pools.yaml:6:11 refused NodePool/general spec.weight: NP-03 with replicas, pods do not choose the pool, so it has no weight; take weight out\n',
    );
  });

  it('names objects unusable that the API server stores and no controller uses, and exits with 1', async () => {
    const text = pool('', '[{key: karpenter.sh/capacity-type, operator: In, values: [spott]}]');
    const { code, stdout } = await validate(text);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^pools\.yaml:10:\d+ unusable NodePool\/general .*: NP-R6 /);
    expect(stdout).toMatch(/1 object: 0 accepted, 0 refused, 1 unusable\n$/);
  });

  it.each<[string, RegExp]>([
    ['amiSelectorTerms: [{alias: bottlerocket@latest}]\n  kubelet: {podsPerCore: 4}', /podsPerCore/],
    ['amiSelectorTerms: [{alias: bottlerocket@latest}]\n  userData: echo hi', /TOML/],
    [`amiSelectorTerms: [{alias: al2023@latest}]\n  userData: ${'x'.repeat(17_000)}`, /userData/],
    ['amiSelectorTerms: [{alias: al2@latest}]', /no AL2 image/],
  ])('names a class unusable from which nothing would be launched: %#', async (fields, why) => {
    const text = CLASS.replace('amiSelectorTerms: [{alias: al2023@latest}]', fields);
    const { code, stdout } = await validate(text);

    expect(code).toBe(1);
    expect(stdout).toMatch(/ unusable EC2NodeClass\/default /);
    expect(stdout).toMatch(why);
  });

  it('names every class unusable that the controller refuses, and no other', () => {
    fc.assert(
      fc.property(anyClassSpec, (spec) => {
        const object = aWrittenClass(spec);
        const atRunTime = validateNodeClass('default', object, CLUSTER_FACTS).outcome;
        const settings = { kubernetesMinor: 32, gates: DEFAULT_GATES, findClassRefusal };
        const { refusals } = listRuntimeFaults({ kind: 'EC2NodeClass' }, object, settings);

        expect(refusals.length > 0).toBe(atRunTime === 'refused');
      }),
    );
  });

  it('lists every document in the order read with -o json', async () => {
    const foreign = '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';
    const outcome = await validate(`${CLASS}${pool('weight: 0')}${foreign}---\na: [\n`, '-o', 'json');
    const { objects } = validationSchema.parse(documentOf(outcome).result);

    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('not judged');
    expect(objects.map(({ line, kind, name, verdict }) => [line, kind, name, verdict])).toEqual([
      [1, 'EC2NodeClass', 'default', 'accepted'],
      [10, 'NodePool', 'general', 'refused'],
      [20, 'Namespace', 'shop', 'not-judged'],
      [25, undefined, undefined, 'refused'],
    ]);
    expect(objects[1]?.problems).toEqual([
      {
        rule: 'minimum',
        severity: 'error',
        stage: 'admission',
        path: 'spec.weight',
        line: 14,
        column: 11,
        why: 'weight is out of range: at least 1 allowed, found 0',
        fix: 'write at least 1',
      },
    ]);
  });

  it('refuses kinds that were removed in v1 and names the command that converts them', async () => {
    const { code, stdout } = await validate(
      'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\n',
    );

    expect(code).toBe(1);
    expect(stdout).toContain('NodePool is served as karpenter.sh/v1; `mortise convert`');
  });

  it('validates images by the version of Kubernetes', async () => {
    const al2 = CLASS.replace('al2023@latest', 'al2@latest');

    expect((await validate(al2, '--kubernetes', '1.32')).code).toBe(0);
    expect((await validate(al2)).stdout).toContain('there is no AL2 image for Kubernetes 1.36');
  });

  it.for(['new', '1.5', '1.30', '1.300', '2.36'])('refuses version %s', async (version) => {
    expect(await validate('', '--kubernetes', version)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: "${version}" is no version of Kubernetes that Mortise supports\n` +
        '  where: --kubernetes\n  why:   allowed are 1.31 and newer, written like 1.36\n',
    });
  });

  it('does not start with malformed feature gates', async () => {
    const { code, stderr } = await mortise(['validate', '-f', '-'], {
      stdin: pool(),
      env: { FEATURE_GATES: 'NodeOverlay', AWS_FEATURE_GATES: 'NodeClassCEL=maybe' },
    });

    expect(code).toBe(2);
    expect(stderr).toContain('FEATURE_GATES cannot be read');
    expect(stderr).toContain('NodeClassCEL=maybe: must be true or false');
  });

  it('never prints control characters to the terminal', async () => {
    const strange = String.raw`"a\e[2J"`;
    const text = `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: ${strange}}\nspec: {${strange}: 1}\n`;
    const { stdout } = await validate(text);

    expect(stdout).toContain('refused');
    expect(stdout).not.toContain('\u001b');
  });

  it('requires a file', async () => {
    expect((await mortise(['validate'])).code).toBe(2);
  });
});

describe('input that is no manifest', () => {
  const validateFiles = (files: Readonly<Record<string, string | Uint8Array>>, path = '.') =>
    mortise(['validate', '-f', path], { files });

  it.each<[string, string | Uint8Array, string]>([
    ['an empty file', '', 'no object in there'],
    ['a file of comments', '---\n# nothing\n---\n', 'no object in there'],
    ['a file of UTF-16', Buffer.from('\ufeffkind: NodePool', 'utf16le'), 'save it as UTF-8'],
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47]), 'it is not UTF-8 text'],
  ])('is reported and exits with 2: %s', async (_, content, said) => {
    const { code, stdout, stderr } = await validateFiles({ 'a.yaml': content });

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(said);
  });

  it('is not accepted from an empty pipe', async () => {
    const { code, stderr } = await mortise(['validate', '-f', '-']);

    expect(code).toBe(2);
    expect(stderr).toContain('where: stdin');
  });

  it('names the files of a directory without manifests', async () => {
    const { code, stderr } = await validateFiles({ 'notes.txt': 'a' });

    expect(code).toBe(2);
    expect(stderr).toContain('1 file, none .yaml .yml .json');
  });

  it('is reported with its place, and other documents are validated', async () => {
    const text = `just text\n---\nkind: NodePool\n---\n- a\n${pool()}`;
    const { code, stdout } = await validateFiles({ 'a.yaml': text }, 'a.yaml');

    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'a.yaml:1:1 refused document: no Kubernetes object: a manifest is a map with apiVersion, kind and metadata; take the document out, or mend its indentation',
      'a.yaml:3:1 refused apiVersion: apiVersion is missing: apiVersion and kind say what the object is; add apiVersion',
      'a.yaml:5:1 refused document: no Kubernetes object: a manifest is a map with apiVersion, kind and metadata; take the document out, or mend its indentation',
    ]);
    expect(stdout).toContain('4 objects: 1 accepted, 3 refused');
  });

  it('is reported in the order of a list, between the other items', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: ['a', { apiVersion: 'karpenter.sh/v1', kind: 'NodePool' }, 'b'],
    };
    const { stdout } = await validateFiles({ 'a.json': JSON.stringify(list, undefined, 1) });

    expect(stdout.split('\n').map((line) => line.split(' ', 1)[0])).toEqual([
      'a.json:5:3',
      'a.json:6:3',
      'a.json:6:3',
      'a.json:10:3',
      '3',
      '',
    ]);
  });

  it.each([
    ['a mark of byte order', `\ufeff${pool().slice(4)}`],
    ['line ends of Windows', pool().replaceAll('\n', '\r\n')],
    ['tabs in JSON', '{\t"apiVersion": "v1",\t"kind": "List",\t"items": []}\n'.concat(pool())],
  ])('is accepted with %s', async (_, text) => {
    const { code, stdout } = await validateFiles({ 'a.yaml': text });

    expect([code, stdout]).toEqual([0, '1 object: 1 accepted, 0 refused\n']);
  });
});

describe('duplicates', () => {
  it('lead to a warning for an object', async () => {
    const { code, stdout } = await validate(pool() + pool('weight: 5'));

    expect(code).toBe(0);
    expect(stdout).toContain(
      'pools.yaml:14:18 warning NodePool/general metadata.name: NodePool general stands in these files before: this one replaces it; rename it, or take one out',
    );
  });

  it('lead to a warning for a key, whose last value counts', async () => {
    const { code, stdout } = await validate(pool('weight: 500\n  weight: 5'));

    expect(code).toBe(0);
    expect(stdout).toContain(
      'pools.yaml:7:11 warning NodePool/general spec.weight: weight is there twice: the last one counts; take one out',
    );
  });
});

describe('a kubelet expression', () => {
  const validateKubelet = async (kubelet: string): Promise<string> => {
    const { stdout } = await mortise(['validate', '-f', '-'], {
      stdin: CLASS.replace('  role: nodes', `  role: nodes\n  kubelet: ${kubelet}`),
      env: { AWS_FEATURE_GATES: 'NodeClassCEL=true' },
    });
    return stdout;
  };

  it.each(['{maxPods: "min(110, vcpus * 8)"}', '{kubeReserved: {cpu: "60.0 + 2.5 * double(vcpus)"}}'])(
    'is accepted as %s, for every instance type',
    async (kubelet) => {
      expect(await validateKubelet(kubelet)).toBe('1 object: 1 accepted, 0 refused\n');
    },
  );

  it.each([
    ['{maxPods: "vcpus - 4"}', /KU-09 "vcpus - 4": it is -\d for \S+;/],
    ['{maxPods: "110 / (vcpus - 1)"}', /KU-09 .*: it cannot be computed for \S+;/],
    ['{maxPods: "memory_mib * 1000000"}', /KU-09 .*: it is \d+ for \S+;/],
    ['{maxPods: "cpus * 2"}', /KU-08 /],
  ])('is refused as %s', async (kubelet, said) => {
    expect(await validateKubelet(kubelet)).toMatch(said);
  });
});

const RESERVING = CLASS.replace(
  '  subnetSelectorTerms',
  '  capacityReservationSelectorTerms: [{id: cr-1}]\n  subnetSelectorTerms',
);

describe('manifests of the operator guides', () => {
  it.each(Object.entries(GUIDES))('are accepted without a warning in %s', async (_, text) => {
    const { code, stdout, stderr } = await mortise(['validate', '-f', '-', '-q'], {
      stdin: text,
      env: { FEATURE_GATES: 'StaticCapacity=true,NodeOverlay=true,CapacityBuffer=true' },
    });

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^(\d) objects: \1 accepted, 0 refused\n$/);
  });

  it('lead to a warning if they select reservations that no pool may use', async () => {
    const onDemand = '[{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]';

    expect((await validate(RESERVING + pool('', onDemand))).stdout).toContain(
      'warning EC2NodeClass/default spec.capacityReservationSelectorTerms: no NodePool of this class allows the capacity type reserved: general',
    );
    const reserved = '[{key: karpenter.sh/capacity-type, operator: In, values: [reserved]}]';
    expect((await validate(RESERVING + pool('', reserved))).stdout).not.toContain('warning');
  });

  it('lead to a warning if they leave fewer than 20 types for spot', async () => {
    const narrow = `
        - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
        - {key: karpenter.k8s.aws/instance-family, operator: In, values: [m7i]}`;

    expect((await validate(CLASS + pool('', narrow))).stdout).toMatch(
      /warning NodePool\/general .*: \d+ instance types are left for spot; 20 or more/,
    );
  });

  it.each([
    ['NodePool', pool('replicas: 3'), 'StaticCapacity'],
    [
      'NodeOverlay',
      'apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: a}\nspec: {requirements: [], price: "0.1"}\n',
      'NodeOverlay',
    ],
  ])('lead to a warning while the gate that they need is off: %s', async (_, text, gate) => {
    expect((await validate(text)).stdout).toContain(`the feature gate ${gate} is off`);
    const on = await mortise(['validate', '-f', '-'], {
      stdin: text,
      env: { FEATURE_GATES: `${gate}=true` },
    });
    expect(on.stdout).not.toContain('warning');
  });
});

describe('shares on demand', () => {
  const annotated = (annotations: string) =>
    pool().replace('{name: general}', `{name: general, annotations: ${annotations}}`);
  const deployment = (annotations: string) => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {annotations: ${annotations}}
    spec: {containers: []}
`;

  it.each<[string, string]>([
    [
      annotated('{mortise.sh/on-demand-base: "-2"}'),
      'unusable NodePool/general metadata.annotations.mortise.sh/on-demand-base: "-2" is not a number of vCPUs; write an amount of 0 or more, like "8"',
    ],
    [
      annotated('{mortise.sh/on-demand-percent-above-base: "30%"}'),
      '"30%" is not a percentage from 0 to 100; write a number without %, like "30"',
    ],
    [deployment('{mortise.sh/on-demand-base: "2.5"}'), '"2.5" is not a number of pods; write a whole number, like "2"'],
  ])('with an invalid value are named: %#', async (text, warning) => {
    expect((await validate(CLASS + text)).stdout.replaceAll('["', '.').replaceAll('"]', '')).toContain(warning);
  });

  it('of a NodePool with replicas are named', async () => {
    const text = pool('replicas: 3').replace(
      '{name: general}',
      '{name: general, annotations: {mortise.sh/on-demand-base: "2"}}',
    );

    expect((await validate(CLASS + text)).stdout).toContain('a NodePool with replicas keeps no share on demand');
  });

  it('with valid values lead to none', async () => {
    const shares = '{mortise.sh/on-demand-base: "2", mortise.sh/on-demand-percent-above-base: "30"}';

    expect((await validate(CLASS + annotated(shares) + deployment(shares))).stdout).not.toContain('warning');
  });
});
