import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
};
// The escapes of `µ` and `μ` keep the functions' code in one byte per character, which Lambda compiles faster.
const PARTS = /(\d+\.?\d*|\.\d+)([a-z\u00b5\u03bc]+)/g;

/**
 * Computes the milliseconds of a duration such as `1h30m` or `250ms`. The caller has validated `text`.
 */
export const durationMs = (text: string): number =>
  [...text.matchAll(PARTS)].reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0);

const GO_DURATION = /^([+-]?)(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;

/**
 * Parses a duration like Go, for example `1.5h` and `-90s`. Returns milliseconds, or `undefined` if
 * `text` is not a duration.
 *
 * @see Go, time.ParseDuration
 */
export function parseGoDuration(text: string): number | undefined {
  const match = GO_DURATION.exec(text);
  if (!match) return undefined;
  const size = durationMs(text);
  return match[1] === '-' && size > 0 ? -size : size;
}

/**
 * Formats a duration like the API, without zero parts: `1h30m`, `1m30s` for 90 s, `0s` for none.
 */
export function formatShortDuration(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ];
  const text = parts.map(([amount, unit]) => (amount > 0 ? `${amount}${unit}` : '')).join('');
  return text || '0s';
}

const DISPLAY_UNITS: readonly (readonly [number, string])[] = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
  [SECOND_MS, 's'],
];

/**
 * Formats a duration for people, with its two largest units: `1 min 32 s`, `2 h`, `3 d 4 h`; below
 * a second `0 s`.
 */
export function formatDuration(ms: number): string {
  const largest = DISPLAY_UNITS.findIndex(([size]) => ms >= size);
  if (largest < 0) return '0 s';

  const shown = DISPLAY_UNITS.slice(largest, largest + 2);
  const smallest = shown.at(-1)?.[0] ?? SECOND_MS;
  let rest = Math.floor(ms / smallest) * smallest;
  const parts: string[] = [];
  for (const [size, unit] of shown) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.join(' ');
}
