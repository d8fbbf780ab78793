import { createHash } from 'node:crypto';
import type { EpochMs } from '../../model/time.ts';
import type { Clock, Journal } from '../../ports/ports.ts';
import type { Cluster, ClusterObjects } from '../../ports/cluster.ts';
import { collectionPath, EVENTS } from '../client/api-resources.ts';
import { createEventBudget, keyOf } from './event-budget.ts';
import { type ObjectReference, referenceTo } from './event-subjects.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { formatMicroTime } from '../readers/live-object.ts';
import { type UserEvent, userEventsOf, userEventsOfDecision } from './user-events.ts';

const REPORTER = 'mortise';
/** @see kubernetes, validation of events.k8s.io/v1 */
const LONGEST_NOTE = 1_024;
const LONGEST_NAME = 230;
/** Events about objects without a namespace live here. */
const CLUSTER_NAMESPACE = 'default';

interface KubernetesEventsParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** What was last observed; absent: nothing yet. */
  readonly seen: () => ClusterObjects | undefined;
}

/**
 * A journal that tells the cluster's users as well, by Events on their pods and nodes. One that
 * cannot be written is lost: no node waits for it. Wrapped around a home's journal once.
 */
export function kubernetesEvents(parts: KubernetesEventsParts, journal: Journal): Journal {
  const budget = createEventBudget();

  async function tell(events: readonly UserEvent[]): Promise<void> {
    const seen = parts.seen();
    if (!seen) return;
    const chosen = budget.choose(events, parts.clock.now());
    await Promise.allSettled(chosen.map((event) => write(parts, event, seen)));
  }

  return {
    async decided(decision) {
      await Promise.all([journal.decided(decision), tell(userEventsOfDecision(decision))]);
    },
    async happened(event) {
      await Promise.all([journal.happened(event), tell(userEventsOf(event))]);
    },
  };
}

/** The cluster, and what it last looked like to whoever observed it. */
export function rememberingCluster<C extends Cluster>(
  cluster: C,
): { readonly cluster: C; readonly seen: () => ClusterObjects | undefined } {
  let latest: ClusterObjects | undefined;
  return {
    cluster: {
      ...cluster,
      async observe(wish) {
        latest = await cluster.observe(wish);
        return latest;
      },
    },
    seen: () => latest,
  };
}

/** Another process that tells the same in the same while takes the same name, and is refused. */
async function write(
  { api, clock }: KubernetesEventsParts,
  event: UserEvent,
  seen: ClusterObjects,
): Promise<void> {
  const regarding = await referenceTo(event.subject, api, seen);
  if (!regarding) return;
  const body = manifestOf(event, regarding, clock.now());
  const path = collectionPath(EVENTS, regarding.namespace ?? CLUSTER_NAMESPACE);
  await api.ask({ verb: 'create', resource: EVENTS.name, path, body });
}

const manifestOf = (event: UserEvent, regarding: ObjectReference, now: EpochMs): object => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: {
    namespace: regarding.namespace ?? CLUSTER_NAMESPACE,
    name: nameOf(event, regarding, now),
  },
  eventTime: formatMicroTime(now),
  reportingController: REPORTER,
  reportingInstance: REPORTER,
  action: event.reason,
  reason: event.reason,
  regarding,
  note: event.note.slice(0, LONGEST_NOTE),
  type: event.type,
});

function nameOf(event: UserEvent, { name, uid }: ObjectReference, now: EpochMs): string {
  const window = Math.floor(now / event.quietMs);
  const text = `${keyOf(event)} ${uid} ${window}`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name.slice(0, LONGEST_NAME)}.${hash}`;
}
