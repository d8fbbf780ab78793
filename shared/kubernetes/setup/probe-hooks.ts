import { formatInstant } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';

const NAMESPACE = 'default';

/**
 * How long the API server takes to write an event that it calls us for, in milliseconds. It waits a
 * second for whoever swallows the call; whoever refuses it costs the cluster nothing.
 */
export async function probeHooks(api: KubernetesApi, clock: Clock): Promise<number> {
  const startedAt = clock.now();
  await api.read({
    verb: 'create',
    resource: 'events',
    path: `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`,
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { generateName: 'mortise-probe-', namespace: NAMESPACE },
      // As the API server wants it: with microseconds.
      eventTime: formatInstant(startedAt).replace('Z', '.000000Z'),
      reportingController: 'mortise.sh/cluster-setup',
      reportingInstance: 'mortise',
      action: 'Probing',
      reason: 'FailedScheduling',
      type: 'Normal',
      note: 'Mortise looks how long its hooks take. There is no such pod.',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name: 'mortise-probe' },
    },
  });
  return clock.now() - startedAt;
}
