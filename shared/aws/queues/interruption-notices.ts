import * as z from 'zod';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { InterruptionNotice } from '../../ports/work-queue.ts';
import { parseJson } from '../parse-json.ts';
import { parseHint } from './hint-schema.ts';

type Kind = InterruptionNotice['kind'];

const envelopeSchema = z.object({
  source: z.string(),
  'detail-type': z.string(),
  time: z.iso.datetime(),
  detail: z.record(z.string(), z.unknown()),
});

const instanceSchema = z.object({ 'instance-id': z.string() });

const healthSchema = z.object({
  service: z.literal('EC2'),
  eventTypeCategory: z.literal('scheduledChange'),
  affectedEntities: z.array(z.object({ entityValue: z.string() })),
});

const KINDS_BY_DETAIL_TYPE: Readonly<Record<string, Kind>> = {
  'EC2 Spot Instance Interruption Warning': 'spot-interruption',
  'EC2 Capacity Reservation Instance Interruption Warning': 'reservation-interruption',
  'EC2 Instance Rebalance Recommendation': 'rebalance-recommendation',
};

const STATE_CHANGE = 'EC2 Instance State-change Notification';
/** What states mean, as far as they are news. */
const KINDS_BY_STATE: Readonly<Record<string, Kind>> = {
  stopping: 'instance-stopped',
  stopped: 'instance-stopped',
  'shutting-down': 'instance-terminated',
  terminated: 'instance-terminated',
};

/**
 * The notices in a message of the interruption queue: an event of EventBridge's, or one of ours that
 * was sent anew, for the record of a launch may have been on its way when the event came.
 *
 * @returns absent: neither, and no retry would make it one
 */
export function listNotices(body: string): readonly InterruptionNotice[] | undefined {
  const notices = parseNotices(body);
  if (notices) return notices;
  const hint = parseHint(body);
  return hint?.topic === 'interruption' ? [hint.notice] : undefined;
}

/**
 * What an event of EC2 or Health says of instances; empty: nothing that we act on. Of its fields as
 * few as possible are read, for their names differ from event to event.
 *
 * @returns absent: no event at all, and no retry would make it one
 */
export function parseNotices(body: string): readonly InterruptionNotice[] | undefined {
  const { data: envelope } = envelopeSchema.safeParse(parseJson(body));
  if (!envelope) return undefined;

  const { source, detail } = envelope;
  const at = Date.parse(envelope.time);
  if (source === 'aws.health') {
    return listAffectedInstances(detail).map((id) => toNotice('scheduled-change', id, at));
  }
  const kind = source === 'aws.ec2' ? findKind(envelope['detail-type'], detail) : undefined;
  if (kind === undefined) return [];

  const { data: instance } = instanceSchema.safeParse(detail);
  return instance ? [toNotice(kind, instance['instance-id'], at)] : undefined;
}

/** By then the instance is gone, and to drain it for the notice would only hurt its successor. */
const STALE_AFTER_MS = 5 * MINUTE_MS;

/** Of what EC2 shows as well, no age makes a notice wrong. */
export const isNoticeStale = ({ kind, at }: InterruptionNotice, now: EpochMs): boolean =>
  KINDS_WITHOUT_STATE.has(kind) && now - at > STALE_AFTER_MS;

/** No state of EC2's shows the same. */
const KINDS_WITHOUT_STATE: ReadonlySet<Kind> = new Set([
  'spot-interruption',
  'reservation-interruption',
]);

const listAffectedInstances = (detail: unknown): readonly string[] =>
  healthSchema.safeParse(detail).data?.affectedEntities.map(({ entityValue }) => entityValue) ?? [];

const findKind = (type: string, { state }: Readonly<Record<string, unknown>>): Kind | undefined =>
  type === STATE_CHANGE ? KINDS_BY_STATE[String(state)] : KINDS_BY_DETAIL_TYPE[type];

/** The zone is left empty: events do not tell it. */
const toNotice = (kind: Kind, instanceId: string, at: EpochMs): InterruptionNotice => ({
  kind,
  providerId: `aws:////${instanceId}`,
  at,
});
