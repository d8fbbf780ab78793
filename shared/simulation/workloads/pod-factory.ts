import { getOrCreate } from '../../model/memo.ts';
import type { OwnerReference, Pod, PodTemplate } from '../../model/pods/pod.ts';
import { podKey } from '../../model/pods/pod.ts';
import type { RandomStream } from '../../model/random.ts';
import { createNamedStream } from '../../model/random.ts';
import type { EpochMs } from '../../model/time.ts';
import type { PodStore } from '../control-plane/pod-store.ts';
import { nameSuffix, uidOf } from '../generated-names.ts';

/** Creates pods that share the template's own objects. */
export interface PodFactory {
  /**
   * @param fixedName - default: the owner's name and a random suffix
   */
  create(input: PodInput, fixedName?: string): Pod;
}

interface PodInput {
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly owner?: OwnerReference;
}

export function createPodFactory(seed: number, pods: PodStore, now: () => EpochMs): PodFactory {
  const streams = new Map<string, RandomStream>();

  // One random stream per owner, so that an additional pod of one owner does not rename the pods of
  // another.
  function findStream(key: string): RandomStream {
    return getOrCreate(streams, key, () => createNamedStream(seed, `pod names of ${key}`));
  }

  function generateName(namespace: string, prefix: string): string {
    const name = `${prefix}-${nameSuffix(findStream(podKey({ namespace, name: prefix })))}`;
    return pods.get(podKey({ namespace, name })) ? generateName(namespace, prefix) : name;
  }

  return {
    create({ namespace, template: { labels, annotations, spec }, owner }, fixedName) {
      const name = fixedName ?? generateName(namespace, owner?.name ?? 'pod');
      return {
        namespace,
        name,
        uid: uidOf(seed, `pod ${podKey({ namespace, name })} ${now()}`),
        labels,
        annotations,
        spec,
        ...(owner && { owner }),
        createdAt: now(),
        phase: 'Pending',
        ready: false,
      };
    },
  };
}
