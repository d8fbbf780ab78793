import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountOf,
  formatAmount,
  formatQuantity,
  parseQuantity,
  type Quantity,
  toResources,
} from '../../shared/model/quantity.ts';

const quantity = (text: string): Quantity => {
  const parsed = parseQuantity(text);
  if (!parsed) throw new Error(`${text} is no quantity`);
  return parsed;
};

const NANOS = 10n ** 9n;
const SUFFIXES: readonly (readonly [string, bigint])[] = [
  ['n', 1n],
  ['u', 10n ** 3n],
  ['m', 10n ** 6n],
  ['', NANOS],
  ['k', 10n ** 12n],
  ['M', 10n ** 15n],
  ['G', 10n ** 18n],
  ['T', 10n ** 21n],
  ['P', 10n ** 24n],
  ['E', 10n ** 27n],
  ['Ki', 1024n * NANOS],
  ['Mi', 1024n ** 2n * NANOS],
  ['Gi', 1024n ** 3n * NANOS],
  ['Ti', 1024n ** 4n * NANOS],
  ['Pi', 1024n ** 5n * NANOS],
  ['Ei', 1024n ** 6n * NANOS],
];
const LARGEST = (2n ** 63n - 1n) * NANOS;

const anySuffix = fc.constantFrom(...SUFFIXES);
const anyText = fc
  .record({
    sign: fc.constantFrom('', '+', '-'),
    whole: fc.nat({ max: 9_999_999 }),
    decimals: fc.stringMatching(/^(\.[0-9]{0,6})?$/),
    suffix: fc.constantFrom(...SUFFIXES.map(([suffix]) => suffix), 'e3', 'E-2', 'e+0'),
  })
  .map(({ sign, whole, decimals, suffix }) => `${sign}${whole}${decimals}${suffix}`);

describe('quantities', () => {
  it.each(SUFFIXES)('multiply by the suffix %s as Kubernetes defines it', (suffix, unit) => {
    expect(quantity(`3${suffix}`).nanos).toBe(3n * unit);
  });

  it.each([
    ['1.5Gi', 1_610_612_736n * NANOS],
    ['.5', NANOS / 2n],
    ['5.', 5n * NANOS],
    ['+1', NANOS],
    ['-500m', -NANOS / 2n],
    ['1e3', 1_000n * NANOS],
    ['12E-1', 1_200_000_000n],
    ['1E', 10n ** 27n],
    ['0.1n', 1n],
    ['-0.1n', -1n],
    ['9Ei', LARGEST],
    ['1e99999', LARGEST],
    ['-1e99999', -LARGEST],
  ])('are exact for %s, or rounded away from zero below a billionth', (text, nanos) => {
    expect(quantity(text).nanos).toBe(nanos);
  });

  it.each([
    '',
    '.',
    '-',
    'ten',
    '4GiB',
    '4 Gi',
    '4gi',
    '1K',
    '1e',
    '1e1.5',
    '1,5',
    '0x10',
    '--1',
    '1mi',
    '²',
    'NaN',
    'Infinity',
    '9'.repeat(10_000),
  ])('do not include %s', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it.each([
    ['1.5Gi', '1536Mi'],
    ['1024Ki', '1Mi'],
    ['0.5Ki', '512'],
    ['1500m', '1500m'],
    ['0.5', '500m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['0', '0'],
    ['0Gi', '0'],
    ['100n', '100n'],
    ['1e3', '1e3'],
    ['1000000e0', '1e6'],
    ['-2048Mi', '-2Gi'],
    ['1.3Ki', '1332'],
  ])('format %s canonically as %s', (text, canonical) => {
    expect(formatQuantity(quantity(text))).toBe(canonical);
  });

  it('keep their amount if they are formatted and parsed again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = formatQuantity(quantity(text));
        const twice = formatQuantity(quantity(once));
        expect(twice).toBe(once);
      }),
    );
  });

  it('keep their amount in the canonical form, except for fractions of a byte', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { nanos, form } = quantity(text);
        const written = quantity(formatQuantity({ nanos, form })).nanos;
        const lost = written > nanos ? written - nanos : nanos - written;
        expect(lost < (form === 'binary' ? NANOS : 1n)).toBe(true);
      }),
    );
  });

  it('are parsed from whole numbers as from text', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(parseQuantity(number)).toEqual(parseQuantity(`${number}`));
      }),
    );
  });
});

describe('quantities of resources', () => {
  it.each([
    ['cpu', '1', 1000],
    ['cpu', '100m', 100],
    ['cpu', '0.1m', 1],
    ['cpu', '1500u', 2],
    ['memory', '1Gi', 1_073_741_824],
    ['memory', '1G', 1_000_000_000],
    ['memory', '1500m', 2],
    ['nvidia.com/gpu', '2', 2],
    ['cpu', '-500m', -500],
  ])('convert %s %s to %i, rounded up', (resource, text, amount) => {
    expect(amountOf(resource, quantity(text))).toBe(amount);
  });

  it('are never less than the requested amount', () => {
    fc.assert(
      fc.property(fc.nat(), anySuffix, (size, [suffix]) => {
        const requested = quantity(`${size}${suffix}`);
        const whole = Number(requested.nanos) / 1e9;
        expect(amountOf('memory', requested)).toBeGreaterThanOrEqual(whole * (1 - 1e-12));
        expect(amountOf('memory', requested)).toBeLessThan(whole * (1 + 1e-12) + 1);
      }),
    );
  });

  it('leave out values that are not quantities', () => {
    expect(toResources({ cpu: '2', memory: 'much', pods: 10 })).toEqual({ cpu: 2000, pods: 10 });
  });
});

describe('formatAmount', () => {
  it.each([
    [2000, '2'],
    [500, '500m'],
    [1930, '1.93'],
    [0, '0'],
    [-250, '-250m'],
  ])('formats %i millicores as %s', (milli, text) => {
    expect(formatAmount('cpu', milli)).toBe(text);
  });

  it.each([
    [4 * 2 ** 30, '4Gi'],
    [1.5 * 2 ** 30, '1.5Gi'],
    [512 * 2 ** 20, '512Mi'],
    [7.123 * 2 ** 30, '7.12Gi'],
    [2 ** 41, '2Ti'],
    [1000, '1000'],
    [0, '0'],
    [-(2 ** 30), '-1Gi'],
  ])('formats %i bytes as %s', (bytes, text) => {
    expect(formatAmount('memory', bytes)).toBe(text);
  });

  it('uses the unit of the resource', () => {
    expect(formatAmount('hugepages-2Mi', 2 ** 21)).toBe('2Mi');
    expect(formatAmount('pods', 29)).toBe('29');
  });
});
