import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { PodAffinityTerm, PodSpec } from '../../../shared/model/pods/pod.ts';
import { aPod, aPodSpec, aSelector, resources } from '../../support/builders.ts';
import { aHost } from '../a-cluster.ts';

export const small = (name: string, spec: Partial<PodSpec> = {}, labels = { app: name }) =>
  aPod({
    name,
    labels,
    spec: aPodSpec({ requests: resources(0.1, 0.1, { pods: 1 }), ...spec }),
  });

export const inZone = (name: string, zone: string) => aHost(name, { [ZONE_LABEL]: zone });

export const termFor = (key: string, over: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  key,
  selector: aSelector({ app: 'web' }),
  matchLabelKeys: [],
  namespaces: [],
  ...over,
});

export const template = (spec: Partial<PodSpec>) => ({
  labels: { app: 'web' },
  spec: aPodSpec({ requests: resources(0.1, 0.1, { pods: 1 }), ...spec }),
});

/** Counts the pods of each zone; `nowhere` counts those without a node. */
export const countsByZone = (
  locations: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const location of Object.values(locations)) {
    const key = location?.split('-')[0] ?? 'nowhere';
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};
