import { createHash } from 'node:crypto';
import { isProvisionable } from '../model/pods/disruption-pods.ts';
import type { PendingPods } from '../ports/cluster.ts';
import { PODS } from './client/api-resources.ts';
import type { KubernetesApi } from './client/kubernetes-api.ts';
import { listObjects } from './client/list-objects.ts';
import { readPod } from './readers/read-pod.ts';
import { createPodTemplateReader } from './readers/read-pod-template.ts';

/** Lists the pods without a node, which are few in a cluster of any size. */
export function kubernetesPendingPods(api: KubernetesApi): PendingPods {
  const templates = createPodTemplateReader();

  return {
    async fingerprint() {
      const { parsed } = await listObjects(
        api,
        { resource: PODS, read: (raw) => readPod(templates, raw) },
        { fieldSelector: 'spec.nodeName=' },
      );
      const uids = [...parsed.values()].flatMap((reading) =>
        reading.outcome === 'read' && isProvisionable(reading.value.pod) ? [reading.value.pod.uid] : [],
      );
      return uids.length === 0 ? '' : shortHash(uids.toSorted().join());
    },
  };
}

const HASH_LENGTH = 16;

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
