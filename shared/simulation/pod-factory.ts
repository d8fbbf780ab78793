import type { OwnerReference, Pod, PodTemplate } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';
import { nameSuffix, uidOf } from './pod-names.ts';
import type { PodStore } from './pod-store.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';

/** Stamps pods; each pod shares the template's own objects. */
export interface PodFactory {
  /** @param fixedName - absent: the owner's name and a random suffix */
  create(stamp: Stamp, fixedName?: string): Pod;
}

interface Stamp {
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly owner?: OwnerReference;
}

export function createPodFactory(seed: number, pods: PodStore, now: () => EpochMs): PodFactory {
  const streams = new Map<string, Random>();

  // A stream for each owner: one more pod here renames nothing there.
  function streamOf(key: string): Random {
    const stream = streams.get(key) ?? createRandom(seed, `pod names of ${key}`);
    streams.set(key, stream);
    return stream;
  }

  function freeName(namespace: string, prefix: string): string {
    const name = `${prefix}-${nameSuffix(streamOf(podKey({ namespace, name: prefix })))}`;
    return pods.get(podKey({ namespace, name })) ? freeName(namespace, prefix) : name;
  }

  return {
    create({ namespace, template: { labels, annotations, spec }, owner }, fixedName) {
      const name = fixedName ?? freeName(namespace, owner?.name ?? 'pod');
      return {
        namespace,
        name,
        uid: uidOf(seed, `pod ${podKey({ namespace, name })} ${now()}`),
        labels,
        annotations,
        spec,
        ...(owner ? { owner } : {}),
        createdAt: now(),
        phase: 'Pending',
        ready: false,
      };
    },
  };
}
