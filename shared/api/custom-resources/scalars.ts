import { formatShortDuration, parseGoDuration } from '../../model/duration.ts';
import { isQuantity, parseQuantity } from '../../model/quantity.ts';
import { DAY_MS } from '../../model/time.ts';
import { text } from '../schema/fields.ts';
import type { Schema, Wording } from '../schema/schema.ts';

const MISSPELT = /^([+-]?[\d.]+)([kmgtpe]?)(i?)(b?)(?:ytes?)?$/i;

/**
 * Guesses the intended quantity: `4Gi` for `4GiB`, `4 Gi` or `4gib`, `4G` for `4GB`, `500m` for
 * `500 m`.
 */
export function guessQuantity(text: string): string | undefined {
  const match = MISSPELT.exec(text.replaceAll(/[\s_]/g, ''));
  const [, amount = '', letter = '', binary, byte] = match ?? [];
  const isMilli = letter === 'm' && !binary && !byte;
  const large = letter.toUpperCase();
  const suffix = binary ? `${large}i` : isMilli || large === 'K' ? letter.toLowerCase() : large;
  const meant = `${amount}${suffix}`;
  return isQuantity(meant) ? meant : undefined;
}

/**
 * Guesses the intended duration for texts such as `30`, `1d`, `2 weeks`, `1d12h`, `90 min`, `P30D` or
 * `never`.
 */
export function guessDuration(text: string): string | undefined {
  if (text.toLowerCase() === 'never') return 'Never';
  const seconds = /^(\d+)$/.exec(text)?.[1];
  if (seconds !== undefined) return `${Number(seconds)}s`;
  const [, long = '', rest = ''] = LONG_UNITS.exec(text) ?? [];
  const short = rest
    .replaceAll(/[\sTt]+/g, '')
    .toLowerCase()
    .replaceAll(/(\d)(h|m|s)(?:ours?|rs?|ins?|inutes?|ecs?|econds?)/g, '$1$2');
  const restMs = short === '' ? 0 : parseGoDuration(short);
  const ms = restMs === undefined ? undefined : sumLongUnits(long) + restMs;
  return ms !== undefined && ms > 0 ? formatShortDuration(ms) : undefined;
}

/** Years, weeks and days, which no duration of Kubernetes has, and then the smaller units. */
const LONG_UNITS = /^\s*p?((?:\s*[\d.]+\s*(?:y(?:ears?)?|w(?:eeks?)?|d(?:ays?)?))*)(.*)$/i;
const LONG_UNIT_DAYS: Readonly<Record<string, number>> = { y: 365, w: 7, d: 1 };

const sumLongUnits = (text: string): number =>
  [...text.matchAll(/([\d.]+)\s*([ywd])/gi)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (LONG_UNIT_DAYS[unit.toLowerCase()] ?? 0) * DAY_MS,
    0,
  );

const LARGEST_GI = 59_000;
const LARGEST_G = 64_000;

/** Guesses the intended size of a volume, in whole GiB or GB: `512Gi` for `0.5Ti` or `524288Mi`. */
export function guessVolumeSize(text: string): string | undefined {
  // A bare number is a size in GiB, as in EC2, unless it is too large to be one.
  const isBare = /^\d+$/.test(text);
  const meant = isBare && Number(text) <= LARGEST_GI ? `${text}Gi` : guessQuantity(text);
  const quantity = meant === undefined ? undefined : parseQuantity(meant);
  const bytes = Number(quantity?.nanos ?? 0) / 1e9;
  if (bytes <= 0) return undefined;
  if (/[KMGTPE]$/i.test(meant ?? '')) {
    const size = Math.ceil(bytes / 1e9);
    return size > LARGEST_G ? '64T' : `${size}G`;
  }
  const size = Math.ceil(bytes / 2 ** 30);
  return size > LARGEST_GI ? '58Ti' : `${size}Gi`;
}

/** Text types that many fields use: their patterns, and the words for error messages. */

const KEY =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
const KEY_WORDING: Wording = {
  noun: 'label key',
  grammar: 'a DNS name and a slash (or neither), then letters, digits, "-", "_" and "."',
  example: 'example.com/team',
};

/** A label key, at most 316 characters. */
export const labelKey = (description: string): Schema<string> =>
  text(description, { pattern: KEY, maxLength: 316, wording: KEY_WORDING });

/** The value of a taint. It has the form of a label key, of any length. */
export const taintValue = (description: string): Schema<string> =>
  text(description, { pattern: KEY, wording: KEY_WORDING });

/** The key of a taint. */
export const taintKey = (description: string): Schema<string> =>
  text(description, { pattern: KEY, minLength: 1, wording: KEY_WORDING });

/** A label value, at most 63 characters. */
export const labelValue = (description: string): Schema<string> =>
  text(description, {
    maxLength: 63,
    pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
    wording: {
      noun: 'label value',
      grammar: 'letters, digits, "-", "_" and ".", a letter or digit at both ends',
      example: 'web-1',
    },
  });

const WHOLE = 'whole hours, minutes and seconds';

/** `30s`, `1h30m`. */
export const duration = (description: string): Schema<string> =>
  text(description, {
    pattern: '^([0-9]+(s|m|h))+$',
    wording: {
      noun: 'duration',
      grammar: `${WHOLE} like 30s or 1h30m`,
      example: '10m',
      meant: guessDuration,
    },
  });

/** A duration, or `Never`. */
export const nillableDuration = (description: string, example = '10m'): Schema<string> =>
  text(description, {
    pattern: '^(([0-9]+(s|m|h))+|Never)$',
    wording: {
      noun: 'duration',
      grammar: `${WHOLE} like 30s or 1h30m, or Never`,
      example,
      meant: guessDuration,
    },
  });

const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** `500m`, `4Gi`, `16`. */
export const quantity: Schema<string | number> = {
  intOrString: true,
  pattern: QUANTITY,
  wording: {
    noun: 'quantity',
    grammar: 'a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none',
    example: '4Gi',
    meant: guessQuantity,
  },
};

/** A time in RFC 3339. */
export const instant = (description: string): Schema<string> => text(description, { format: 'date-time' });
