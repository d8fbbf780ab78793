import * as z from 'zod';
import type { ZonalShift } from '../../model/offerings/zones.ts';
import { type EpochMs, HOUR_MS, SECOND_MS } from '../../model/time.ts';
import type { ShiftAnswer, ShiftSource } from '../../ports/cloud.ts';
import { parseJson } from '../parse-json.ts';
import { type AwsCredentials, fetchSigned } from '../signed-request.ts';

export interface ArcSettings {
  readonly region: string;
  /** Of the cluster: the name under which ARC has it. */
  readonly clusterArn: string;
  /** Absent: that of the region. */
  readonly endpoint?: string;
}

const SERVICE = 'arc-zonal-shift';
/** The sweep waits for it, and the last answer holds meanwhile. */
const TIMEOUT_MS = 4 * SECOND_MS;
const RETRIES = 1;
const FIRST_RETRY_AFTER_MS = 50;
const MAX_ERROR_LENGTH = 300;

const shiftSchema = z.object({ appliedStatus: z.string(), awayFrom: z.string() });
const answerSchema = z.object({
  // In seconds.
  zonalShifts: z.array(shiftSchema.extend({ expiryTime: z.number() })),
  /** Those that AWS starts and ends by itself. */
  autoshifts: z.array(shiftSchema).default([]),
});
type ArcAnswer = z.output<typeof answerSchema>;

/**
 * Asks ARC, the Application Recovery Controller, about the cluster. Its one request is signed here: the
 * SDK's client would be larger than all of this function's own code.
 *
 * @see Amazon ARC, zonal shift API, GetManagedResource
 */
export function arcShiftSource(
  { region, clusterArn, endpoint = toEndpoint(region) }: ArcSettings,
  credentials: () => Promise<AwsCredentials>,
): ShiftSource {
  const url = `${endpoint}/managedresources/${encodeURIComponent(clusterArn)}`;

  const request = async (): Promise<Response> =>
    fetchSigned({ method: 'GET', url }, { service: SERVICE, region }, await credentials(), {
      retries: RETRIES,
      firstDelayMs: FIRST_RETRY_AFTER_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });

  return {
    async ask(now) {
      try {
        const answer = await request();
        return readAnswer(answer, await answer.text(), now);
      } catch (error) {
        return unknown(`ARC cannot be reached: ${String(error)}`);
      }
    },
  };
}

const toEndpoint = (region: string): string =>
  `https://${SERVICE}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

function readAnswer({ ok, status, headers }: Response, text: string, now: EpochMs): ShiftAnswer {
  if (!ok) {
    const error = headers.get('x-amzn-errortype') ?? '';
    return error.startsWith('ResourceNotFoundException')
      ? { outcome: 'not-registered' }
      : unknown(`ARC answered ${status} ${error}: ${text.slice(0, MAX_ERROR_LENGTH)}`);
  }
  const { data } = answerSchema.safeParse(parseJson(text));
  return data
    ? { outcome: 'told', shifts: listShifts(data, now) }
    : unknown(`ARC's answer cannot be read: ${text.slice(0, MAX_ERROR_LENGTH)}`);
}

const unknown = (why: string): ShiftAnswer => ({ outcome: 'unknown', why });

/** Of several shifts of a zone the one that lasts longest. */
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

/** Another shift may be in force in its place. */
const isApplied = ({ appliedStatus }: { readonly appliedStatus: string }): boolean =>
  appliedStatus === 'APPLIED';

/** AWS does not say when it will end its own: it holds for an hour or two, if nobody hears of an end. */
const computeOpenEnd = (now: EpochMs): EpochMs => Math.floor(now / HOUR_MS + 2) * HOUR_MS;
