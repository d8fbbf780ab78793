import type { EpochMs } from './time.ts';

/** Traffic and capacity are led away from a zone, by AWS or by who runs the cluster. */
export interface ZonalShift {
  /** The same zone in every account: `use1-az1`. */
  readonly zoneId: string;
  readonly until: EpochMs;
}

/** A shift away from a zone that this cluster has something in, or may have. */
export interface ShiftedZone extends ZonalShift {
  /** As this account calls it: `us-east-1a`. */
  readonly zone: string;
}

/** Where an instance is. @param providerId - `aws:///<zone>/<instance id>`; events leave the zone empty */
export const zoneOf = (providerId = ''): string | undefined =>
  /^aws:\/\/\/([^/]+)\//.exec(providerId)?.[1];
