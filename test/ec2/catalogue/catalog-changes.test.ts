import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACCEPTED_REMOVALS,
  findUnexplainedChanges,
  findUnexplainedRemovals,
} from '../../../shared/aws/ec2/catalogue-generator/accepted-changes.ts';
import { compareBundles } from '../../../shared/aws/ec2/catalogue-generator/compare-bundles.ts';
import { formatKnownTypes, parseKnownTypes } from '../../../shared/aws/ec2/catalogue-generator/known-types.ts';
import knownTypesFile from '../../../shared/ec2/catalogue/data/known-types.json' with { type: 'json' };
import bundle from '../../../shared/ec2/catalogue/data/us-east-1.json' with { type: 'json' };
import { EC2_TYPES, findEc2Type } from '../../../shared/ec2/catalogue/ec2-types.ts';

const knownTypes = parseKnownTypes(knownTypesFile);

describe('the bundled catalogue', () => {
  it('contains every type that it ever contained, except for accepted removals', () => {
    const gone = knownTypes.filter((name) => !findEc2Type(name));

    expect(findUnexplainedRemovals(gone)).toEqual([]);
  });

  it('is covered by the list of known types, so that no type can disappear unnoticed', () => {
    expect(EC2_TYPES.map(({ name }) => name).filter((name) => !knownTypes.includes(name))).toEqual([]);
  });

  it('has no accepted removal of a type that it contains', () => {
    expect(Object.keys(ACCEPTED_REMOVALS).filter((name) => findEc2Type(name))).toEqual([]);
  });

  it('has 1391 types of 181 families', () => {
    expect([knownTypes.length, Object.keys(knownTypesFile.families).length]).toEqual([1391, 181]);
  });
});

describe('the changes of a catalogue', () => {
  const aBundle = (...types: readonly string[]) => ({ columns: ['name', 'cpu', 'arch'], types });

  it('list added types, removed types and each changed cell', () => {
    const before = aBundle('a1.large|2|arm64', 'm5.large|2|amd64', 'p3.2xlarge|8|amd64');
    const after = aBundle('m5.large|4|amd64', 'm9g.large|2|arm64', 'a1.large|2|arm64');

    expect(compareBundles(before, after)).toEqual({
      added: ['m9g.large'],
      vanished: ['p3.2xlarge'],
      changed: [{ type: 'm5.large', column: 'cpu', was: '2', is: '4' }],
    });
  });

  it('are empty for a new column', () => {
    const before = { columns: ['name'], types: ['m5.large'] };

    expect(compareBundles(before, aBundle('m5.large|2|amd64')).changed).toEqual([]);
  });

  it('are empty between a catalogue and itself, and symmetric for removed types', () => {
    const anyBundle = fc
      .uniqueArray(fc.constantFrom(...bundle.types.slice(0, 20)), { maxLength: 10 })
      .map((types) => ({ columns: bundle.columns, types }));

    fc.assert(
      fc.property(anyBundle, anyBundle, (a, b) => {
        expect(compareBundles(a, a)).toEqual({ added: [], vanished: [], changed: [] });
        expect(compareBundles(a, b).vanished).toEqual(compareBundles(b, a).added);
      }),
    );
  });

  it('report every removed type without a reason', () => {
    const reasons = { 'p3.2xlarge': 'EC2 has retired it.' };

    expect(findUnexplainedRemovals(['p3.2xlarge', 'p3.8xlarge'], reasons)).toEqual(['p3.8xlarge']);
  });
});

describe('a type that changes in size', () => {
  /** The bundle with another memory for its first type. */
  const [first = ''] = bundle.types;
  const cells = first.split('|');
  const column = bundle.columns.indexOf('memoryMib');
  const half = `${Number(cells[column]) / 2}`;
  const shrunk = {
    ...bundle,
    types: [cells.with(column, half).join('|'), ...bundle.types.slice(1)],
  };
  const { changed } = compareBundles(bundle, shrunk);

  it('is refused until the change has a reason', () => {
    const change = `${cells[0]} memoryMib: ${cells[column]}, now ${half}`;

    expect(findUnexplainedChanges(changed)).toEqual([change]);
    expect(findUnexplainedChanges(changed, { [change]: 'EC2 has corrected its record.' })).toEqual([]);
  });

  it('is not one that changes its zones or bandwidth', () => {
    const elsewhere = ['zones', 'networkMbps'].map((name) => ({
      type: 'm5.large',
      column: name,
      was: 'a',
      is: 'b',
    }));

    expect(findUnexplainedChanges(elsewhere)).toEqual([]);
  });

  it('is recognised by columns that the catalogue has', () => {
    const columns = ['arch', 'cpu', 'memoryMib', 'gpus', 'neuron', 'storageGb', 'cardEnis'];

    expect(bundle.columns).toEqual(expect.arrayContaining([...columns, 'ipv4PerEni']));
  });
});

describe('the list of known types', () => {
  it('is read back as it was written, each type once and sorted', () => {
    const text = formatKnownTypes(['m5.xlarge', 'a1.large', 'm5.large', 'm5.large']);

    expect(parseKnownTypes(JSON.parse(text))).toEqual(['a1.large', 'm5.large', 'm5.xlarge']);
  });
});
