import { findNearestWord } from '../model/nearest-word.ts';

/** Every region of AWS. @see the partitions of the AWS SDK for JavaScript */
export const REGIONS: readonly string[] = `
  af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2
  ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6
  ap-southeast-7 ca-central-1 ca-west-1 cn-north-1 cn-northwest-1 eu-central-1 eu-central-2
  eu-isoe-west-1 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 eusc-de-east-1
  il-central-1 me-central-1 me-south-1 me-west-1 mx-central-1 sa-east-1 sa-west-1 us-east-1
  us-east-2 us-gov-east-1 us-gov-west-1 us-iso-east-1 us-iso-west-1 us-isob-east-1 us-isob-west-1
  us-isof-east-1 us-isof-south-1 us-west-1 us-west-2`
  .trim()
  .split(/\s+/);

export const isRegion = (name: string): boolean => REGIONS.includes(name);

export const findNearestRegion = (name: string): string | undefined => findNearestWord(name, REGIONS);

const ZONE = /^([a-z]+(?:-[a-z]+)+-\d)([a-f])$/;

/**
 * Finds the region of a zone: `us-east-1` of `us-east-1a`, and of local zones such as
 * `us-east-1-bos-1a`; undefined if there is no such region.
 */
export function findRegionOfZone(zone: string): string | undefined {
  const region = ZONE.exec(zone)?.[1];
  if (region !== undefined) return isRegion(region) ? region : undefined;
  return REGIONS.find((one) => zone.startsWith(`${one}-`));
}

/** Finds the zone that was probably meant: the same letter in the nearest region. */
export function findNearestZone(zone: string): string | undefined {
  if (isRegion(zone)) return `${zone}a`;
  const region = findNearestRegion(zone.replace(/[a-z]$/, ''));
  const letter = /[a-f]$/.exec(zone)?.[0] ?? 'a';
  return region === undefined ? undefined : `${region}${letter}`;
}

const DIRECTIONS: Readonly<Record<string, string>> = {
  northeast: 'ne',
  northwest: 'nw',
  southeast: 'se',
  southwest: 'sw',
};

/** The first part of the zone ids of a region: `use1` of us-east-1, `apne1` of ap-northeast-1. */
const toZoneIdPrefix = (region: string): string =>
  region
    .split('-')
    .map((part, index) => (index === 0 ? part : (DIRECTIONS[part] ?? part.slice(0, 1))))
    .join('');

const LETTERS = 'abcdef';

/**
 * Returns a zone id for a zone without an account, by its letter. Each account has its own order.
 *
 * @see https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html
 */
export const assumeZoneId = (region: string, zone: string): string =>
  `${toZoneIdPrefix(region)}-az${LETTERS.indexOf(zone.slice(region.length)) + 1}`;

/** Returns the region and the zone that `assumeZoneId` gives this id; undefined for another text. */
export function findAssumedZone(id: string): { readonly region: string; readonly zone: string } | undefined {
  const [, prefix, ordinal] = /^([a-z]+\d)-az([1-6])$/.exec(id) ?? [];
  const region = REGIONS.find((one) => toZoneIdPrefix(one) === prefix);
  return region === undefined ? undefined : { region, zone: `${region}${LETTERS[Number(ordinal) - 1] ?? ''}` };
}
