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
const ANSWER_WITHIN_MS = 4 * SECOND_MS;
const RETRIES = 1;
const FIRST_RETRY_AFTER_MS = 50;
const LONGEST_ANSWER = 300;

const shiftSchema = z.object({ appliedStatus: z.string(), awayFrom: z.string() });
const answerSchema = z.object({
  // In seconds.
  zonalShifts: z.array(shiftSchema.extend({ expiryTime: z.number() })),
  /** Those that AWS starts and ends by itself. */
  autoshifts: z.array(shiftSchema).default([]),
});
type Answer = z.output<typeof answerSchema>;

/**
 * Asks ARC, the Application Recovery Controller, about the cluster. Its one request is signed here: the
 * SDK's client would be larger than all of this function's own code.
 *
 * @see Amazon ARC, zonal shift API, GetManagedResource
 */
export function arcShiftSource(
  { region, clusterArn, endpoint = endpointOf(region) }: ArcSettings,
  credentials: () => Promise<AwsCredentials>,
): ShiftSource {
  const url = `${endpoint}/managedresources/${encodeURIComponent(clusterArn)}`;

  const request = async (): Promise<Response> =>
    fetchSigned({ method: 'GET', url }, { service: SERVICE, region }, await credentials(), {
      retries: RETRIES,
      firstDelayMs: FIRST_RETRY_AFTER_MS,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });

  return {
    async ask(now) {
      try {
        const answer = await request();
        return read(answer, await answer.text(), now);
      } catch (error) {
        return unknown(`ARC cannot be reached: ${String(error)}`);
      }
    },
  };
}

const endpointOf = (region: string): string =>
  `https://${SERVICE}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

function read({ ok, status, headers }: Response, text: string, now: EpochMs): ShiftAnswer {
  if (!ok) {
    const error = headers.get('x-amzn-errortype') ?? '';
    return error.startsWith('ResourceNotFoundException')
      ? { outcome: 'not-registered' }
      : unknown(`ARC answered ${status} ${error}: ${text.slice(0, LONGEST_ANSWER)}`);
  }
  const { data } = answerSchema.safeParse(parseJson(text));
  return data
    ? { outcome: 'told', shifts: shiftsIn(data, now) }
    : unknown(`ARC's answer cannot be read: ${text.slice(0, LONGEST_ANSWER)}`);
}

const unknown = (why: string): ShiftAnswer => ({ outcome: 'unknown', why });

/** Of several shifts of a zone the one that lasts longest. */
function shiftsIn({ zonalShifts, autoshifts }: Answer, now: EpochMs): readonly ZonalShift[] {
  const ends = new Map<string, EpochMs>();
  const note = (zoneId: string, until: EpochMs): void => {
    if (until > now) ends.set(zoneId, Math.max(until, ends.get(zoneId) ?? until));
  };
  for (const { awayFrom, expiryTime } of zonalShifts.filter(isApplied)) {
    note(awayFrom, expiryTime * SECOND_MS);
  }
  for (const { awayFrom } of autoshifts.filter(isApplied)) note(awayFrom, openEnd(now));
  return [...ends].map(([zoneId, until]) => ({ zoneId, until }));
}

/** Another shift may be in force in its place. */
const isApplied = ({ appliedStatus }: { readonly appliedStatus: string }): boolean =>
  appliedStatus === 'APPLIED';

/** AWS does not say when it will end its own: it holds for an hour or two, if nobody hears of an end. */
const openEnd = (now: EpochMs): EpochMs => Math.floor(now / HOUR_MS + 2) * HOUR_MS;
