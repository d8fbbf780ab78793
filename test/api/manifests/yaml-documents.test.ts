import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../shared/api/manifests/yaml-documents.ts';

const dataIn = (text: string): unknown => readYaml(text).documents[0]?.value;

describe('the YAML reader', () => {
  it.each<[string, unknown]>([
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['~', undefined],
    ['012', 10],
    ['0o12', 10],
    ['0x10', 16],
    ['1_0', 10],
    ['1e1', 10],
    ['10.0', 10],
    ['1.5', 1.5],
    ['.5e1', 5],
    ['e0', 'e0'],
    ['.', '.'],
    ['12:30', '12:30'],
    ['2026-01-01', '2026-01-01'],
    ['"10"', '10'],
    ['!!binary aGk=', 'aGk='],
    ['!mine x', 'x'],
  ])('reads %s as %j, like kubectl', (text, expected) => {
    expect(dataIn(`a: ${text}`)).toEqual(expected === undefined ? {} : { a: expected });
  });

  it('keeps the last value of a duplicate key', () => {
    expect(dataIn('a: 1\na: 2')).toEqual({ a: 2 });
  });

  it('expands anchors and merges', () => {
    expect(dataIn('base: &b {k: 1}\na:\n  <<: *b\n  z: 2')).toEqual({
      base: { k: 1 },
      a: { k: 1, z: 2 },
    });
  });

  it('drops null fields and keeps null items, which are refused later', () => {
    expect(dataIn('a: null\nb: {c:}\nd: [null, 1]')).toEqual({ b: {}, d: [null, 1] });
  });

  it('reads JSON that is indented with tabs', () => {
    expect(dataIn('{\n\t"a": [\n\t\t1\n\t]\n}')).toEqual({ a: [1] });
  });

  it('counts documents, including empty ones', () => {
    const { documents } = readYaml('---\n# none\n---\na: 1\n---\nb: 1\n');

    expect(documents.map(({ number, value }) => [number, value])).toEqual([
      [2, { a: 1 }],
      [3, { b: 1 }],
    ]);
  });
});

describe('the position of a field', () => {
  const TEXT = `kind: A
spec:
  list:
    - name: x
      size: 1
  flow: { a: [1, 2] }
  empty:
`;
  const location = (path: readonly (string | number)[], part: 'key' | 'value' = 'value'): string => {
    const position = readYaml(TEXT).documents[0]?.positionOf(path, part);
    return `${position?.line}:${position?.column}`;
  };

  it.each<[(string | number)[], string, string]>([
    [['kind'], '1:1', '1:7'],
    [['spec', 'list', 0, 'size'], '5:7', '5:13'],
    [['spec', 'flow', 'a', 1], '6:18', '6:18'],
  ])('is that of its key or its value: %j', (path, key, value) => {
    expect([location(path, 'key'), location(path)]).toEqual([key, value]);
  });

  it('is that of the surrounding field if the field is absent', () => {
    expect(location(['spec', 'list', 0, 'missing', 'deeper'])).toBe('4:7');
    expect(location(['missing'])).toBe('1:1');
    expect(location([])).toBe('1:1');
  });

  it('is in the anchor for a value from an alias', () => {
    const { documents } = readYaml('a: &x\n  b: 1\nc: *x\n');

    expect(documents[0]?.positionOf(['c', 'b'], 'value')).toEqual({ line: 2, column: 6 });
    expect(documents[0]?.positionOf(['c'], 'value')).toEqual({ line: 3, column: 4 });
  });
});

describe('invalid YAML', () => {
  it.each([
    ['a: [1, 2\nb: 3\n', '2:1', 'flow sequence not closed', 'close it with ]'],
    ['a: {b: 1', '1:9', 'flow map not closed', 'close it with }'],
    ['a: "x', '1:6', 'quoted text not closed', 'close it with "'],
    ["a: 'x", '1:6', 'quoted text not closed', "close it with '"],
    ['a:\n\tb: 1', '2:1', 'tabs are not allowed as indentation', 'indent with spaces'],
    ['a: *x', '1:4', 'no anchor &x stands before it', 'set the anchor, or quote "*x"'],
    ['a: &x [*x]', '1:8', '*x holds itself', 'write the value out'],
  ])('is reported once, with its position: %j', (text, location, why, fix) => {
    const { documents, faults } = readYaml(text);

    expect(documents).toEqual([]);
    expect(faults.map(({ line, column, ...fault }) => [`${line}:${column}`, fault])).toEqual([
      [location, { document: 1, why, fix }],
    ]);
  });

  it('does not keep other documents from being read', () => {
    const { documents, faults } = readYaml('a: 1\n---\nb: @\n---\nc: 1\n');

    expect(documents.map(({ number }) => number)).toEqual([1, 3]);
    expect(faults.map(({ document }) => document)).toEqual([2]);
  });

  it('includes alias bombs, which are not expanded', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1) {
      const aliases = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ');
      lines.push(`a${level}: &a${level} [${aliases}]`);
    }

    expect(readYaml(lines.join('\n')).faults.map(({ why }) => why)).toEqual(['its aliases expand to too much']);
  });

  it.each(['['.repeat(50_000), '{a: '.repeat(50_000), `${'- '.repeat(50_000)}x`])(
    'includes excessive nesting (%#)',
    (text) => {
      const { documents, faults } = readYaml(text);

      expect(documents).toEqual([]);
      expect(faults).toHaveLength(1);
    },
  );
});
