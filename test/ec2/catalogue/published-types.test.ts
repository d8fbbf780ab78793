import { describe, expect, it } from 'vitest';
import { EC2_TYPES, findEc2Type } from '../../../shared/ec2/catalogue/ec2-types.ts';
import type { Labels } from '../../../shared/model/labels.ts';
import { DEVIATIONS } from './deviations.ts';
import { typeOf } from './ec2-type.ts';
import { PUBLISHED_BANDWIDTHS, PUBLISHED_INTERFACES, PUBLISHED_TYPES } from './published.ts';

const PREFIX = 'karpenter.k8s.aws/instance-';

function publishedForm(labels: Labels): Record<string, string> {
  const own = Object.entries(labels).flatMap(([key, value]) =>
    key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), value] as const] : [],
  );
  return { ...Object.fromEntries(own), arch: labels['kubernetes.io/arch'] ?? '' };
}

type Values = Readonly<Record<string, string | number>>;

/** Lists `type of key: published, ours` for each different key, including missing ones. */
const differences = (name: string, of: string, ours: Values, published: Values): string[] =>
  Object.keys({ ...ours, ...published })
    .filter((key) => ours[key] !== published[key])
    .map((key) => deviationText(name, of, key, [published[key], ours[key]]));

const deviationText = (name: string, of: string, key: string, [published, ours]: readonly [unknown, unknown]): string =>
  `${name} ${of} ${key}: ${published ?? 'none'}, ${ours ?? 'none'}`;

/** An entry for a family stands for each published size. */
const typesOf = (typeOrFamily: string): readonly string[] =>
  typeOrFamily.includes('.')
    ? [typeOrFamily]
    : PUBLISHED_TYPES.map(({ name }) => name).filter((name) => name.startsWith(`${typeOrFamily}.`));

const listed = DEVIATIONS.flatMap(({ of, key, values }) =>
  Object.entries(values).flatMap(([typeOrFamily, pair]) =>
    typesOf(typeOrFamily).map((name) => deviationText(name, of, key, pair)),
  ),
);

describe('the estimate', () => {
  it('is at most the published amount for every type and resource', () => {
    const tooMuch = PUBLISHED_TYPES.flatMap(({ name, allocatable }) => {
      const ours = typeOf(name).allocatable;
      return ['cpu', 'memory', 'ephemeral-storage', 'pods']
        .filter((resource) => (ours[resource] ?? 0) > (allocatable[resource] ?? 0))
        .map((resource) => `${resource} of ${name}`);
    });

    expect(tooMuch).toEqual([]);
  });
});

describe('bundled instance types', () => {
  it('are all 1363 published ones, and 28 more', () => {
    expect(PUBLISHED_TYPES.filter(({ name }) => !findEc2Type(name))).toEqual([]);
    expect([PUBLISHED_TYPES.length, EC2_TYPES.length]).toEqual([1363, 1391]);
  });

  it('have the published allocatable and labels, except for the listed deviations', () => {
    const deviating = PUBLISHED_TYPES.flatMap(({ name, allocatable, labels }) => {
      const ours = typeOf(name);
      return [
        ...differences(name, 'allocatable', ours.allocatable, allocatable),
        ...differences(name, 'label', publishedForm(ours.labels), labels),
      ];
    });

    expect(deviating.toSorted()).toEqual(listed.toSorted());
  });

  it('deviate in 56 numbers of branch interfaces, 66 clock speeds and 3 bandwidths', () => {
    const counts = Map.groupBy(listed, (text) => text.split(/[ :]/)[2]);

    expect([...counts].map(([key, { length }]) => [key, length])).toEqual([
      ['vpc.amazonaws.com/pod-eni', 56],
      ['cpu-sustained-clock-speed-mhz', 66],
      ['network-bandwidth', 3],
    ]);
  });

  it.each(DEVIATIONS)('deviate in $key for a reason: $kind', ({ why }) => {
    expect(why).toMatch(/^[A-Z].{40,}\.$/);
  });

  it('have the interfaces that the VPC CNI publishes', () => {
    const deviating = [...PUBLISHED_INTERFACES].flatMap(([name, expected]) => {
      const type = findEc2Type(name);
      if (!type) return [];
      const ours = { enis: type.enis, ipv4: type.ipv4PerEni, branch: type.branchEnis };
      return differences(name, 'interfaces', ours, { ...expected });
    });

    expect(deviating).toEqual([]);
  });

  it('have no branch interfaces if the VPC CNI has no record of the type', () => {
    const unknown = EC2_TYPES.filter(({ name }) => !PUBLISHED_INTERFACES.has(name));

    expect(unknown.filter(({ branchEnis }) => branchEnis > 0)).toEqual([]);
    expect(unknown.filter(({ name }) => isPublished(name)).map(({ name }) => name)).toEqual([
      'hpc6a.48xlarge',
      'hpc6id.32xlarge',
      'hpc7a.12xlarge',
      'hpc7a.24xlarge',
      'hpc7a.48xlarge',
      'hpc7a.96xlarge',
      'hpc8a.96xlarge',
      'trn2.48xlarge',
    ]);
  });

  it('have the bandwidth that AWS publishes, or that of EC2 if the publication is older', () => {
    const deviating = EC2_TYPES.filter(({ name, networkMbps }) => networkMbps !== PUBLISHED_BANDWIDTHS.get(name));

    expect(new Set(deviating.map(({ family }) => family))).toEqual(new Set(['r9g', 'r9gd', 't8i']));
    expect(deviating.filter(({ name }) => PUBLISHED_BANDWIDTHS.has(name))).toEqual([]);
  });
});

const isPublished = (name: string): boolean => PUBLISHED_TYPES.some((type) => type.name === name);
