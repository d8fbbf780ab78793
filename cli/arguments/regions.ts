import { Option } from '@commander-js/extra-typings';
import { findNearestRegion, findNearestZone, findRegionOfZone, isRegion } from '../../shared/ec2/regions.ts';
import { fail } from '../errors.ts';

/** Parses the name of a region that AWS has. */
export const regionParser =
  (where: string) =>
  (name: string): string => {
    if (isRegion(name)) return name;
    const meant = findRegionOfZone(name) ?? findNearestRegion(name);
    throw fail({
      code: 'bad-value',
      what: `"${name}" is no region`,
      where,
      why: 'AWS has no region of this name, as far as this release knows',
      fix: meant ?? 'write it like eu-west-1',
    });
  };

/** Parses names of zones, separated by commas. */
export const zonesParser =
  (where: string) =>
  (text: string): string => {
    const wrong = text.split(',').find((zone) => isRegion(zone) || !findRegionOfZone(zone));
    if (wrong === undefined) return text;
    throw fail({
      code: 'bad-value',
      what: `"${wrong}" is no zone`,
      where,
      why: 'written like us-east-1a: a region of AWS and a letter from a to f',
      ...nearestZone(wrong),
    });
  };

function nearestZone(zone: string): { readonly fix?: string } {
  const fix = findNearestZone(zone);
  return fix === undefined ? {} : { fix };
}

/** @param otherwise - what is used without the flag */
export const regionFlag = (otherwise: string) =>
  new Option('--region <REGION>', `Like eu-west-1; else ${otherwise}`).argParser(regionParser('--region'));

export const catalogueFlag = () =>
  new Option('--catalogue <FILE>', 'Types, zones and prices of a file of `mortise catalogue`');
