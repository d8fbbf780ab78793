import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, staticHash } from '../../shared/api/static-hash.ts';
import { documents, manifestsIn, nodeClass, nodePool } from './support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const poolHash = (spec: Fields = {}, template: Fields = {}, metadata: Fields = {}) =>
  manifestsIn(documents(nodeClass(), nodePool(spec, template, metadata))).pools[0]?.hash;
const classHash = (spec: Fields = {}) => manifestsIn(documents(nodeClass(spec))).nodeClasses[0]?.hash;

const taints = (...keys: readonly string[]) => ({
  taints: keys.map((key) => ({ key, effect: 'NoSchedule' })),
});

describe('the static hash', () => {
  it('is 64-bit FNV-1a over canonical JSON', () => {
    expect(canonicalText({ b: [2, 1], a: { c: '', d: 'x' }, e: [], f: false })).toBe(
      '{"a":{"d":"x"},"b":["1","2"],"f":false}',
    );
    // All empty values are equal.
    expect(staticHash({})).toBe(fnv('null'));
  });

  it('does not depend on any order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(staticHash(reversed(value))).toBe(staticHash(value));
      }),
    );
  });

  it('differs for different values', () => {
    const values = [1, '1', true, 'true', [1], ['1'], [[1]], { a: 1 }, { a: '1' }, { a: 0 }, 'a:1'];

    expect(new Set(values.map(staticHash)).size).toBe(values.length);
  });
});

describe('the hash of a NodePool', () => {
  it.each<[string, Fields, Fields]>([
    ['weight (row 173)', { weight: 10 }, {}],
    ['limits (row 173)', { limits: { cpu: '1' } }, {}],
    ['disruption (row 173)', { disruption: { consolidateAfter: '1h', budgets: [{ nodes: '5' }] } }, {}],
    ['requirements', {}, { requirements: [{ key: 'a', operator: 'Exists' }] }],
    ['the way expireAfter is written (row 175)', {}, { expireAfter: '43200m' }],
    ['empty taints', {}, { taints: [] }],
  ])('does not depend on the %s', (_, spec, template) => {
    expect(poolHash(spec, template)).toBe(poolHash());
  });

  it.each<[string, Fields, Fields]>([
    ['labels (row 174)', {}, { labels: { team: 'a' } }],
    ['annotations', {}, { annotations: { note: 'a' } }],
    ['taints (row 174)', taints('a'), {}],
    ['startup taints', { startupTaints: taints('a').taints }, {}],
    ['expireAfter (row 174)', { expireAfter: 'Never' }, {}],
    ['terminationGracePeriod', { terminationGracePeriod: '1h' }, {}],
  ])('changes with its %s', (_, template, metadata) => {
    expect(poolHash({}, template, metadata)).not.toBe(poolHash());
  });

  it('treats taints as a set, and separates startup taints from taints', () => {
    expect(poolHash({}, taints('a', 'b'))).toBe(poolHash({}, taints('b', 'a')));
    expect(poolHash({}, taints('a'))).not.toBe(poolHash({}, { startupTaints: taints('a').taints }));
  });
});

describe('the hash of an EC2NodeClass', () => {
  it.each<[string, Fields]>([
    ['a family that the alias names anyway (row 178)', { amiFamily: 'AL2023' }],
    ['another version of the image', { amiSelectorTerms: [{ alias: 'al2023@v20250101' }] }],
    ['other subnets (row 179)', { subnetSelectorTerms: [{ id: 'subnet-1' }] }],
    ['other security groups', { securityGroupSelectorTerms: [{ id: 'sg-2' }] }],
    ['metadata options as they are by default', { metadataOptions: { httpTokens: 'required' } }],
    ['prefixes', { ipPrefixCount: 2 }],
  ])('stays the same with %s', (_, spec) => {
    expect(classHash(spec)).toBe(classHash());
  });

  it.each<[string, Fields]>([
    ['role', { role: 'other' }],
    ['user data', { userData: 'x' }],
    ['tags', { tags: { a: 'b' } }],
    ['family', { amiFamily: 'Custom' }],
    ['kubelet', { kubelet: { maxPods: 10 } }],
    ['metadata options', { metadataOptions: { httpTokens: 'optional' } }],
    ['monitoring, switched off in words', { detailedMonitoring: false }],
  ])('changes with its %s', (_, spec) => {
    expect(classHash(spec)).not.toBe(classHash());
  });

  it('compares volumes by size, and treats rootVolume: false as absent', () => {
    const mapping = (volumeSize: string, more: Fields = {}) => ({
      blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize }, ...more }],
    });

    expect(classHash(mapping('1024Gi', { rootVolume: false }))).toBe(classHash(mapping('1Ti')));
    expect(classHash(mapping('1024G'))).not.toBe(classHash(mapping('1Ti')));
  });

  it('ignores the order of tags and volumes', () => {
    const volumes = ['a', 'b'].map((name) => ({ deviceName: name, ebs: { volumeSize: '9Gi' } }));
    const one = { tags: { a: '1', b: '2' }, blockDeviceMappings: volumes };
    const other = { tags: { b: '2', a: '1' }, blockDeviceMappings: volumes.toReversed() };

    expect(classHash(one)).toBe(classHash(other));
  });

  it.each([
    [
      { podsPerCore: 1, maxPods: 21 },
      { podsPerCore: 2, maxPods: 11 },
    ],
    [{ kubeReserved: { cpu: '1' } }, { systemReserved: { cpu: '1' } }],
  ])('separates the kubelets %j and %j', (one, other) => {
    expect(classHash({ kubelet: one })).not.toBe(classHash({ kubelet: other }));
  });

  it('separates kubelets that consist of the same letters', () => {
    const one = { systemReserved: { cpu: '1' }, kubeReserved: { cpu: '2' } };
    const other = { systemReserved: { cpu: '2' }, kubeReserved: { cpu: '1' } };

    expect(classHash({ kubelet: one })).not.toBe(classHash({ kubelet: other }));
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.toReversed().map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)] as const);
  return Object.fromEntries(entries.toReversed());
}

/** A simple implementation of FNV-1a for ASCII. */
function fnv(text: string): string {
  let hash = 14_695_981_039_346_656_037n;
  for (const letter of text) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(letter.charCodeAt(0))) * 1_099_511_628_211n);
  }
  return hash.toString(16).padStart(16, '0');
}
