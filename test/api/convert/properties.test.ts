import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertManifests } from '../../../shared/api/convert/convert-manifests.ts';
import { manifestsYaml } from '../../../shared/api/convert/converted-text.ts';
import { isError } from '../../../shared/api/convert/message.ts';
import { readYaml } from '../../../shared/api/manifests/yaml-documents.ts';
import { validateManifests } from '../../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { documents } from '../support/read-text.ts';

const SETTINGS = { kubernetesMinor: 32, gates: DEFAULT_GATES };

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const seconds = fc.integer({ min: 0, max: 100_000 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom('kubernetes.io/arch', 'karpenter.sh/provisioner-name', 'team'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    key: fc.constantFrom('karpenter.k8s.aws/instance-cpu', 'karpenter.k8s.aws/instance-pods'),
    operator: fc.constantFrom('Gt', 'Lt'),
    values: fc.integer({ min: 0, max: 99 }).map((value) => [`${value}`]),
  }),
);

const kubelet = fc.record({ maxPods: fc.integer({ min: 1, max: 250 }) });

const provisioner = fc
  .record({
    labels: maybe(fc.dictionary(fc.oneof(word, fc.constant('karpenter.sh/x')), word, { maxKeys: 3 })),
    requirements: maybe(fc.array(requirement, { maxLength: 4 })),
    kubeletConfiguration: maybe(kubelet),
    limits: maybe(fc.record({ resources: fc.record({ cpu: fc.integer({ min: 0 }) }) })),
    weight: maybe(fc.integer({ min: 1, max: 100 })),
    ttlSecondsUntilExpired: maybe(seconds),
    ttlSecondsAfterEmpty: maybe(seconds),
    taints: maybe(fc.array(fc.record({ key: word, effect: fc.constant('NoSchedule') }))),
  })
  .chain((spec) =>
    fc.constantFrom('a', 'b', 'c').map((name) => ({
      apiVersion: 'karpenter.sh/v1alpha5',
      kind: 'Provisioner',
      metadata: { name },
      spec: { ...spec, providerRef: { name: 'nodes' } },
    })),
  );

const selector = fc.dictionary(word, fc.oneof(word, fc.constant('a, b'), fc.constant('')), {
  minKeys: 1,
  maxKeys: 3,
});

const nodeTemplate = fc
  .record({
    amiFamily: maybe(fc.constantFrom('AL2', 'AL2023', 'Bottlerocket')),
    subnetSelector: selector,
    securityGroupSelector: fc.oneof(selector, fc.constant({ 'aws-ids': 'sg-1,sg-2' })),
    amiSelector: maybe(selector),
    instanceProfile: maybe(word),
    tags: maybe(fc.dictionary(fc.oneof(word, fc.constant('karpenter.sh/nodepool')), word)),
    metadataOptions: maybe(fc.record({ httpTokens: fc.constantFrom('required', 'optional') })),
  })
  .map((spec) => ({
    apiVersion: 'karpenter.k8s.aws/v1alpha1',
    kind: 'AWSNodeTemplate',
    metadata: { name: 'nodes' },
    spec,
  }));

const old = fc
  .tuple(fc.uniqueArray(provisioner, { selector: ({ metadata }) => metadata.name }), nodeTemplate)
  .map(([pools, nodeClass]) => documents(...pools, nodeClass));

/** May contain fields without an equivalent, or fields that the old version refused too. */
const awkward = fc
  .tuple(
    fc.record(
      {
        consolidation: fc.record({ enabled: fc.boolean() }),
        ttlSecondsAfterEmpty: seconds,
        kubeletConfiguration: fc.record({
          maxPods: fc.integer({ min: -1, max: 250 }),
          containerRuntime: word,
        }),
        startupTaints: fc.array(fc.record({ key: fc.string(), effect: word })),
        requirements: fc.array(requirement, { maxLength: 120 }),
        providerRef: fc.record({ name: fc.constantFrom('nodes', 'elsewhere') }),
        provider: fc.record({ subnetSelector: selector, securityGroupSelector: selector }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.record(
      {
        amiFamily: fc.constantFrom('AL2', 'Ubuntu', 'Custom', 'Windows2022', 'Other'),
        subnetSelector: fc.oneof(selector, fc.constant({ 'aws-ids': 'subnet-1, vpc-2' })),
        securityGroupSelector: selector,
        amiSelector: fc.oneof(
          selector,
          fc.constant({ 'aws::owners': 'self' }),
          fc.constant({ 'aws::name': 'a,b', 'aws::owners': 'self,amazon', tag: 'x' }),
        ),
        launchTemplate: word,
        instanceProfile: word,
        blockDeviceMappings: fc.array(
          fc.record({ deviceName: word, virtualName: word, ebs: fc.record({ volumeSize: word }) }),
        ),
        metadataOptions: fc.record({ httpPutResponseHopLimit: fc.integer({ min: 0, max: 70 }) }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([pool, nodes]) =>
    documents(
      {
        apiVersion: 'karpenter.sh/v1alpha5',
        kind: 'Provisioner',
        metadata: { name: 'a' },
        spec: pool,
      },
      {
        apiVersion: 'karpenter.k8s.aws/v1alpha1',
        kind: 'AWSNodeTemplate',
        metadata: { name: 'nodes' },
        spec: nodes,
      },
    ),
  );

const convert = (text: string) => convertManifests([{ file: 'in.yaml', text }], { ignoreDefaults: false });

describe('the result of converting v1alpha5', () => {
  it('is accepted by validation, every object of it', () => {
    fc.assert(
      fc.property(old, (text) => {
        const { objects, isComplete } = convert(text);
        const source = { file: 'out.yaml', text: manifestsYaml(objects) };

        expect(isComplete).toBe(true);
        expect(objects.length).toBeGreaterThan(0);
        expect(validateManifests([source], SETTINGS).filter(({ verdict }) => verdict === 'refused')).toEqual([]);
      }),
    );
  });

  it('is accepted by validation or reported as left out, for any input', () => {
    fc.assert(
      fc.property(awkward, (text) => {
        const { objects, messages } = convert(text);
        const source = { file: 'out.yaml', text: manifestsYaml(objects) };
        const judged = validateManifests([source], SETTINGS);
        const reported = messages.filter(isError).map(({ object }) => object.split('/')[1]);
        const written = judged.map(({ name }) => name);

        expect(judged.filter(({ verdict }) => verdict === 'refused')).toEqual([]);
        expect([...reported, ...written]).toEqual(expect.arrayContaining(['a', 'nodes']));
      }),
      { numRuns: 200 },
    );
  });

  it('stays the same if it is converted again', () => {
    fc.assert(
      fc.property(old, (text) => {
        const once = manifestsYaml(convert(text).objects);

        expect(manifestsYaml(convert(once).objects)).toBe(once);
      }),
    );
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(old, (text) => {
        const { objects } = convert(text);
        const read = readYaml(manifestsYaml(objects)).documents.map(({ value }) => value);

        expect(read).toEqual(JSON.parse(JSON.stringify(objects.map(({ object }) => object))));
      }),
    );
  });
});
