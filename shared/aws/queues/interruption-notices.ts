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

const KINDS_BY_DETAIL_TYPE: ReadonlyMap<unknown, Kind> = new Map([
  ['EC2 Spot Instance Interruption Warning', 'spot-interruption'],
  ['EC2 Capacity Reservation Instance Interruption Warning', 'reservation-interruption'],
  ['EC2 Instance Rebalance Recommendation', 'rebalance-recommendation'],
]);

const STATE_CHANGE = 'EC2 Instance State-change Notification';
/** States that interrupt a node. */
const KINDS_BY_STATE: ReadonlyMap<unknown, Kind> = new Map([
  ['stopping', 'instance-stopped'],
  ['stopped', 'instance-stopped'],
  ['shutting-down', 'instance-terminated'],
  ['terminated', 'instance-terminated'],
]);

/**
 * Returns the notices in a message of the interruption queue: an EventBridge event, or a hint that
 * was re-queued because the launch record did not exist yet when the event came.
 *
 * @returns undefined if the body is neither; a retry would not change that
 */
export function listNotices(body: string): readonly InterruptionNotice[] | undefined {
  const notices = parseNotices(body);
  if (notices) return notices;
  const hint = parseHint(body);
  return hint?.topic === 'interruption' ? [hint.notice] : undefined;
}

/**
 * Returns the notices in an event of EC2 or AWS Health; empty if Mortise does not act on the event.
 * Reads as few fields as possible, because their names differ between events.
 *
 * @returns undefined if the body is not an event; a retry would not change that
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

/** By then the instance is gone, and draining would only affect its successor. */
const STALE_AFTER_MS = 5 * MINUTE_MS;

/** Notices that EC2 also shows as an instance state never become stale. */
export const isNoticeStale = ({ kind, at }: InterruptionNotice, now: EpochMs): boolean =>
  KINDS_WITHOUT_STATE.has(kind) && now - at > STALE_AFTER_MS;

/** Kinds that no instance state of EC2 shows. */
const KINDS_WITHOUT_STATE: ReadonlySet<Kind> = new Set(['spot-interruption', 'reservation-interruption']);

const listAffectedInstances = (detail: unknown): readonly string[] =>
  healthSchema.safeParse(detail).data?.affectedEntities.map(({ entityValue }) => entityValue) ?? [];

const findKind = (type: string, { state }: Readonly<Record<string, unknown>>): Kind | undefined =>
  type === STATE_CHANGE ? KINDS_BY_STATE.get(state) : KINDS_BY_DETAIL_TYPE.get(type);

/** The zone is empty, because events do not contain it. */
const toNotice = (kind: Kind, instanceId: string, at: EpochMs): InterruptionNotice => ({
  kind,
  providerId: `aws:////${instanceId}`,
  at,
});
