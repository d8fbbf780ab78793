import * as z from 'zod';
import type { ZonalShift } from '../../model/offerings/zones.ts';
import { type EpochMs, HOUR_MS, SECOND_MS } from '../../model/time.ts';
import type { ShiftSource, ZonalShiftResult } from '../../ports/cloud.ts';
import { parseJson } from '../parse-json.ts';
import type { AwsCredentials } from '../signed-request.ts';
import { getSigned, toEndpoint } from './single-request.ts';

export interface ArcSettings {
  readonly region: string;
  /** The ARN under which ARC knows the cluster. */
  readonly clusterArn: string;
  /** Undefined for the region's own endpoint. */
  readonly endpoint?: string;
}

const SERVICE = 'arc-zonal-shift';
const MAX_ERROR_LENGTH = 300;

const shiftSchema = z.object({ appliedStatus: z.string(), awayFrom: z.string() });
const answerSchema = z.object({
  // In seconds.
  zonalShifts: z.array(shiftSchema.extend({ expiryTime: z.number() })),
  /** Shifts that AWS starts and ends itself. */
  autoshifts: z.array(shiftSchema).default([]),
});
type ArcAnswer = z.output<typeof answerSchema>;

/**
 * Queries ARC (Application Recovery Controller) for the cluster's zonal shifts. After a timeout the
 * stored shifts stay in force.
 *
 * @see Amazon ARC, zonal shift API, GetManagedResource
 */
export function arcShiftSource(
  { region, clusterArn, endpoint = toEndpoint(SERVICE, region) }: ArcSettings,
  credentials: () => Promise<AwsCredentials>,
): ShiftSource {
  const url = `${endpoint}/managedresources/${encodeURIComponent(clusterArn)}`;

  return {
    async findShifts(now) {
      try {
        const answer = await getSigned(url, { service: SERVICE, region }, credentials);
        return readAnswer(answer, await answer.text(), now);
      } catch (error) {
        return unknown(`ARC cannot be reached: ${String(error)}`);
      }
    },
  };
}

function readAnswer({ ok, status, headers }: Response, text: string, now: EpochMs): ZonalShiftResult {
  if (!ok) {
    const error = headers.get('x-amzn-errortype') ?? '';
    if (error.startsWith('ResourceNotFoundException')) return { outcome: 'not-registered' };
    const why = `ARC answered ${status} ${error}: ${text.slice(0, MAX_ERROR_LENGTH)}`;
    const isDenied = error.startsWith('AccessDeniedException');
    return { outcome: 'unknown', why, ...(isDenied && { isDenied }) };
  }
  const { data } = answerSchema.safeParse(parseJson(text));
  return data
    ? { outcome: 'told', shifts: listShifts(data, now) }
    : unknown(`ARC's answer cannot be read: ${text.slice(0, MAX_ERROR_LENGTH)}`);
}

const unknown = (why: string): ZonalShiftResult => ({ outcome: 'unknown', why });

/** Returns one shift per zone: the longest. */
function listShifts({ zonalShifts, autoshifts }: ArcAnswer, now: EpochMs): readonly ZonalShift[] {
  const endsByZone = new Map<string, EpochMs>();
  const extendEnd = (zoneId: string, until: EpochMs): void => {
    if (until > now) endsByZone.set(zoneId, Math.max(until, endsByZone.get(zoneId) ?? until));
  };
  for (const { awayFrom, expiryTime } of zonalShifts.filter(isApplied)) {
    extendEnd(awayFrom, expiryTime * SECOND_MS);
  }
  for (const { awayFrom } of autoshifts.filter(isApplied)) extendEnd(awayFrom, computeOpenEnd(now));
  return [...endsByZone].map(([zoneId, until]) => ({ zoneId, until }));
}

/** A shift that is not applied has been replaced by another one. */
const isApplied = ({ appliedStatus }: { readonly appliedStatus: string }): boolean => appliedStatus === 'APPLIED';

/**
 * AWS does not publish the end of its own shifts: without further news they count for one to two
 * hours.
 */
const computeOpenEnd = (now: EpochMs): EpochMs => Math.floor(now / HOUR_MS + 2) * HOUR_MS;
