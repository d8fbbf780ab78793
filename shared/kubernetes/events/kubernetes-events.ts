import { createHash } from 'node:crypto';
import type { EventsV1Event } from '@kubernetes/client-node';
import * as z from 'zod';
import type { EventReason } from '../../model/explanations/event-reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../model/labels.ts';
import { findDoNotDisruptEnd, isActive } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { type EpochMs, formatInstant, MINUTE_MS } from '../../model/time.ts';
import type { DecisionLog } from '../../ports/decision-log.ts';
import type { Clock } from '../../ports/ports.ts';
import { collectionPath, EVENTS } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import type { Json } from '../client/json.ts';
import { type ApiResponse, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { formatMicroTime } from '../readers/live-object.ts';
import { toUserEvents } from './cluster-user-events.ts';
import { toDecisionEvents } from './decision-user-events.ts';
import { createEventBudget, eventKey } from './event-budget.ts';
import { findReference, type ObjectReference, type ObservedSubjects } from './event-subjects.ts';
import type { UserEvent } from './user-events.ts';

const REPORTER = 'mortise';
/**
 * @see kubernetes, validation of events.k8s.io/v1
 */
const MAX_NOTE_BYTES = 1_024;
const MAX_NAME_LENGTH = 230;
/** Another process has written the same Event. */
const CONFLICT = 409;
const FORBIDDEN = 403;
/** The namespace of Events about cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

export interface KubernetesEventsParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** The last observations of this process, the newest first. */
  readonly observations: () => readonly ObservedSubjects[];
  /** Called for each Event that was not written although its object exists. */
  readonly onDropped?: (reason: EventReason, why: unknown) => void;
}

/**
 * A decision log that also writes Kubernetes Events on pods, nodes and NodePools. An Event that
 * cannot be written is dropped and reported: it must not delay a node. Each process wraps its decision log once.
 */
export function kubernetesEvents(parts: KubernetesEventsParts, inner: DecisionLog): DecisionLog {
  const budget = createEventBudget();

  async function publish(events: readonly UserEvent[]): Promise<void> {
    const observations = parts.observations();
    const selected = budget.select(events, parts.clock.now());
    await Promise.all(
      selected.map(async (event) => {
        try {
          await write(parts, event, observations);
        } catch (error) {
          parts.onDropped?.(event.reason, error);
        }
      }),
    );
  }

  return {
    ...inner,
    async recordDecision(decision) {
      const { kind, at } = decision;
      const pods = kind === 'disruption' ? parts.observations().flatMap((observed) => observed.pods) : [];
      const events = [...toDecisionEvents(decision), ...listDoNotDisruptEvents(pods, at)];
      await Promise.all([inner.recordDecision(decision), publish(events)]);
    },
    async recordEvent(event) {
      await Promise.all([inner.recordEvent(event), publish(toUserEvents(event))]);
    },
  };
}

/**
 * The name is deterministic: if another process writes the same Event in the same window, the API
 * server refuses ours.
 */
async function write(
  { api, clock }: KubernetesEventsParts,
  event: UserEvent,
  observations: readonly ObservedSubjects[],
): Promise<void> {
  const regarding = await findReference(event.subject, api, observations);
  if (!regarding) return;
  const body = toManifest(event, regarding, clock.now());
  const path = collectionPath(EVENTS, regarding.namespace ?? CLUSTER_NAMESPACE);
  const request = { verb: 'create', resource: EVENTS.name, path, body } as const;
  const response = await api.send(request);
  if (isSuccess(response) || response.status === CONFLICT || isNamespaceEnding(response)) return;
  throw toApiError(request, response);
}

const refusalSchema = z.object({
  details: z.object({ causes: z.array(z.object({ reason: z.string().optional() })) }),
});

/** No object can be created in a namespace that is being deleted; its pods go with it. */
function isNamespaceEnding({ status, body }: ApiResponse): boolean {
  const { data } = refusalSchema.safeParse(body);
  return status === FORBIDDEN && data?.details.causes.some(({ reason }) => reason === 'NamespaceTerminating') === true;
}

const toManifest = (event: UserEvent, regarding: ObjectReference, now: EpochMs): Json<EventsV1Event> => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: {
    namespace: regarding.namespace ?? CLUSTER_NAMESPACE,
    name: eventName(event, regarding, now),
  },
  eventTime: formatMicroTime(now),
  reportingController: REPORTER,
  reportingInstance: REPORTER,
  action: event.reason,
  reason: event.reason,
  regarding,
  note: cutToBytes(event.note, MAX_NOTE_BYTES),
  type: event.type,
});

/** Cuts between characters: the API server counts bytes, and refuses a note that is longer. */
function cutToBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

function eventName(event: UserEvent, { name, uid }: ObjectReference, now: EpochMs): string {
  const window = Math.floor(now / event.quietMs);
  // A warning whose note has changed is another Event.
  const note = event.type === 'Warning' ? event.note : '';
  const text = `${eventKey(event)} ${uid} ${window} ${note}`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name.slice(0, MAX_NAME_LENGTH)}.${hash}`;
}

const QUIET_MS = 15 * MINUTE_MS;
/** Disruption is planned every minute, so one of the plans sees the end of each protection. */
const RECENT_MS = 5 * MINUTE_MS;

/**
 * The Events about the annotation `karpenter.sh/do-not-disrupt` of running pods: until when a
 * duration protects the pod, that this time is over, or that the value is ignored.
 */
export const listDoNotDisruptEvents = (pods: readonly Pod[], now: EpochMs): readonly UserEvent[] =>
  pods.flatMap((pod) => {
    const value = pod.annotations[DO_NOT_DISRUPT_ANNOTATION];
    if (value === undefined || pod.nodeName === undefined) return [];
    if (!isActive(pod)) return [];
    return explainAnnotation(pod, value, now);
  });

function explainAnnotation(pod: Pod, value: string, now: EpochMs): readonly UserEvent[] {
  const event = (reason: EventReason, note: string, about: string): readonly UserEvent[] => [
    {
      reason,
      type: reason === 'InvalidDoNotDisruptAnnotation' ? 'Warning' : 'Normal',
      subject: { kind: 'Pod', pod: podKey(pod) },
      note,
      quietMs: QUIET_MS,
      about,
    },
  ];
  const end = findDoNotDisruptEnd(pod);
  if (end === undefined) {
    if (value === 'false') return [];
    const note = `do-not-disrupt is neither true nor a positive duration such as 30m: ${value}. It is ignored.`;
    return event('InvalidDoNotDisruptAnnotation', note, value);
  }
  if (!Number.isFinite(end)) return [];
  const at = formatInstant(end);
  if (end > now) return event('DoNotDisruptUntil', `do-not-disrupt protects it until ${at}.`, at);
  if (end <= now - RECENT_MS) return [];
  return event('DoNotDisruptGracePeriodElapsed', `do-not-disrupt ended at ${at}.`, at);
}
