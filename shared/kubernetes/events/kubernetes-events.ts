import { createHash } from 'node:crypto';
import type { EpochMs } from '../../model/time.ts';
import type { Cluster, ClusterObjects } from '../../ports/cluster.ts';
import type { Clock, DecisionLog } from '../../ports/ports.ts';
import { collectionPath, EVENTS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { formatMicroTime } from '../readers/live-object.ts';
import { createEventBudget, eventKey } from './event-budget.ts';
import { findReference, type ObjectReference } from './event-subjects.ts';
import { toDecisionEvents, toUserEvents, type UserEvent } from './user-events.ts';

const REPORTER = 'mortise';
/** @see kubernetes, validation of events.k8s.io/v1 */
const MAX_NOTE_LENGTH = 1_024;
const MAX_NAME_LENGTH = 230;
/** Events about objects without a namespace live here. */
const CLUSTER_NAMESPACE = 'default';

interface KubernetesEventsParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** What was last observed; absent: nothing yet. */
  readonly lastObserved: () => ClusterObjects | undefined;
}

/**
 * A journal that tells the cluster's users as well, by Events on their pods and nodes. One that
 * cannot be written is lost: no node waits for it. Wrapped around a home's journal once.
 */
export function kubernetesEvents(parts: KubernetesEventsParts, journal: DecisionLog): DecisionLog {
  const budget = createEventBudget();

  async function publish(events: readonly UserEvent[]): Promise<void> {
    const lastObserved = parts.lastObserved();
    if (!lastObserved) return;
    const selected = budget.select(events, parts.clock.now());
    await Promise.allSettled(selected.map((event) => write(parts, event, lastObserved)));
  }

  return {
    async recordDecision(decision) {
      await Promise.all([journal.recordDecision(decision), publish(toDecisionEvents(decision))]);
    },
    async recordEvent(event) {
      await Promise.all([journal.recordEvent(event), publish(toUserEvents(event))]);
    },
  };
}

/** The cluster, and what it last looked like to whoever observed it. */
export function rememberLastObservation<C extends Cluster>(
  cluster: C,
): { readonly cluster: C; readonly lastObserved: () => ClusterObjects | undefined } {
  let latest: ClusterObjects | undefined;
  return {
    cluster: {
      ...cluster,
      async observe(wish) {
        latest = await cluster.observe(wish);
        return latest;
      },
    },
    lastObserved: () => latest,
  };
}

/** Another process that tells the same in the same while takes the same name, and is refused. */
async function write(
  { api, clock }: KubernetesEventsParts,
  event: UserEvent,
  lastObserved: ClusterObjects,
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
  note: event.note.slice(0, MAX_NOTE_LENGTH),
  type: event.type,
});

function eventName(event: UserEvent, { name, uid }: ObjectReference, now: EpochMs): string {
  const window = Math.floor(now / event.quietMs);
  const text = `${eventKey(event)} ${uid} ${window}`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name.slice(0, MAX_NAME_LENGTH)}.${hash}`;
}
