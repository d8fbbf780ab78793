import { createHash } from 'node:crypto';
import type { EpochMs } from '../../model/time.ts';
import type { Cluster, ClusterObjects } from '../../ports/cluster.ts';
import type { DecisionLog } from '../../ports/decision-log.ts';
import type { Clock } from '../../ports/ports.ts';
import { collectionPath, EVENTS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { formatMicroTime } from '../readers/live-object.ts';
import { toUserEvents } from './cluster-user-events.ts';
import { toDecisionEvents } from './decision-user-events.ts';
import { listDoNotDisruptEvents } from './do-not-disrupt-events.ts';
import { createEventBudget, eventKey } from './event-budget.ts';
import { findReference, type ObjectReference } from './event-subjects.ts';
import type { UserEvent } from './user-events.ts';

const REPORTER = 'mortise';
/**
 * @see kubernetes, validation of events.k8s.io/v1
 */
const MAX_NOTE_BYTES = 1_024;
const MAX_NAME_LENGTH = 230;
/** The namespace of Events about cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

interface KubernetesEventsParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** The last observation; `undefined` before the first. */
  readonly lastObserved: () => ClusterObjects | undefined;
}

/**
 * A decision log that also writes Kubernetes Events on pods, nodes and NodePools. An Event that
 * cannot be written is dropped: it must not delay a node. Each process wraps its decision log once.
 */
export function kubernetesEvents(parts: KubernetesEventsParts, inner: DecisionLog): DecisionLog {
  const budget = createEventBudget();

  async function publish(events: readonly UserEvent[]): Promise<void> {
    const lastObserved = parts.lastObserved();
    const selected = budget.select(events, parts.clock.now());
    await Promise.allSettled(selected.map((event) => write(parts, event, lastObserved)));
  }

  return {
    ...inner,
    async recordDecision(decision) {
      const { kind, at } = decision;
      const pods = kind === 'disruption' ? (parts.lastObserved()?.pods ?? []) : [];
      const events = [...toDecisionEvents(decision), ...listDoNotDisruptEvents(pods, at)];
      await Promise.all([inner.recordDecision(decision), publish(events)]);
    },
    async recordEvent(event) {
      await Promise.all([inner.recordEvent(event), publish(toUserEvents(event))]);
    },
  };
}

/** Wraps a cluster so that its last observation can be read without another request. */
export function rememberLastObservation<C extends Cluster>(
  cluster: C,
): { readonly cluster: C; readonly lastObserved: () => ClusterObjects | undefined } {
  let latest: ClusterObjects | undefined;
  return {
    cluster: {
      ...cluster,
      async observe(options) {
        latest = await cluster.observe(options);
        return latest;
      },
    },
    lastObserved: () => latest,
  };
}

/**
 * The name is deterministic: if another process writes the same Event in the same window, the API
 * server refuses ours.
 */
async function write(
  { api, clock }: KubernetesEventsParts,
  event: UserEvent,
  lastObserved: ClusterObjects | undefined,
): Promise<void> {
  const regarding = await findReference(event.subject, api, lastObserved);
  if (!regarding) return;
  const body = toManifest(event, regarding, clock.now());
  const path = collectionPath(EVENTS, regarding.namespace ?? CLUSTER_NAMESPACE);
  await api.send({ verb: 'create', resource: EVENTS.name, path, body });
}

const toManifest = (event: UserEvent, regarding: ObjectReference, now: EpochMs): object => ({
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
  const text = `${eventKey(event)} ${uid} ${window}`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name.slice(0, MAX_NAME_LENGTH)}.${hash}`;
}
