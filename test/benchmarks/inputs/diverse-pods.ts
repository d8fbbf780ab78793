import { HOSTNAME_LABEL, type Labels, ZONE_LABEL } from '../../../shared/model/labels.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { Pod, PodSpec, PodTemplate } from '../../../shared/model/pods/pod.ts';
import { MIB } from '../../../shared/model/resources.ts';
import { aPod, aPodSpec, aPodTemplate, aSelector } from '../../support/builders.ts';
import { type BenchmarkRandom, createBenchmarkRandom } from './seeded-random.ts';

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;
const CPU_MILLI = [100, 250, 500, 1000, 1500] as const;
const MEMORY_MIB = [100, 256, 512, 1024, 2048, 4096] as const;
const SEED = 42;

/**
 * Creates the pods of Karpenter's own benchmark: a fifth each without conditions, with zone spread,
 * with host spread, with zone affinity and with host anti-affinity.
 */
export function createDiversePods(count: number): readonly Pod[] {
  const random = createBenchmarkRandom(SEED);
  const fifth = Math.floor(count / 5);
  const kinds = [
    { of: genericPod, count: fifth + (count - 5 * fifth) },
    { of: (one: BenchmarkRandom) => spreadPod(one, ZONE_LABEL), count: fifth },
    { of: (one: BenchmarkRandom) => spreadPod(one, HOSTNAME_LABEL), count: fifth },
    { of: companionPod, count: fifth },
    { of: lonePod, count: fifth },
  ];
  const share = createTemplateCache();
  return kinds
    .flatMap((kind) => Array.from({ length: kind.count }, () => share(kind.of(random))))
    .map((template, index) => aPod({ ...template, name: `pod-${index}` }));
}

/** Creates pods with requests only. */
export function createGenericPods(count: number): readonly Pod[] {
  const random = createBenchmarkRandom(SEED);
  const share = createTemplateCache();
  return Array.from({ length: count }, (_, index) => aPod({ ...share(genericPod(random)), name: `pod-${index}` }));
}

/** Creates equal pods with requests only. */
export function createEqualPods(count: number): readonly Pod[] {
  const template = genericPod(createBenchmarkRandom(SEED));
  return Array.from({ length: count }, (_, index) => aPod({ ...template, name: `pod-${index}` }));
}

/** Creates equal pods that prefer the first zone and prefer not to share a zone or host. */
export function createPreferringPods(count: number): readonly Pod[] {
  const random = createBenchmarkRandom(SEED);
  const labels = { app: 'nginx' };
  const term = (key: string) => ({
    key,
    selector: aSelector(labels),
    matchLabelKeys: [],
    namespaces: [],
  });
  const template = aPodTemplate({
    labels,
    spec: aPodSpec({
      requests: requestsOf(random),
      preferredNodeTerms: [{ weight: 1, term: [{ key: ZONE_LABEL, operator: 'In', values: ['test-zone-1'] }] }],
      preferredPodAntiAffinity: [
        { weight: 10, term: term(ZONE_LABEL) },
        { weight: 1, term: term(HOSTNAME_LABEL) },
      ],
    }),
  });
  return Array.from({ length: count }, (_, index) => aPod({ ...template, name: `pod-${index}` }));
}

const genericPod = (random: BenchmarkRandom): PodTemplate =>
  templateOf(random, { 'my-label': random.oneOf(LETTERS) }, () => ({}));

const spreadPod = (random: BenchmarkRandom, key: string): PodTemplate =>
  templateOf(random, { 'my-label': random.oneOf(LETTERS) }, () => ({
    topologySpread: [
      {
        key,
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        selector: aSelector({ 'my-label': random.oneOf(LETTERS) }),
        matchLabelKeys: [],
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ],
  }));

const companionPod = (random: BenchmarkRandom): PodTemplate =>
  // The misspelt label is the original's.
  templateOf(random, { 'my-affininity': random.oneOf(LETTERS) }, (labels) => ({
    podAffinity: [{ key: ZONE_LABEL, selector: aSelector(labels), matchLabelKeys: [], namespaces: [] }],
  }));

const lonePod = (random: BenchmarkRandom): PodTemplate =>
  templateOf(random, { app: 'nginx' }, (labels) => ({
    podAntiAffinity: [{ key: HOSTNAME_LABEL, selector: aSelector(labels), matchLabelKeys: [], namespaces: [] }],
  }));

function templateOf(random: BenchmarkRandom, labels: Labels, rules: (labels: Labels) => Partial<PodSpec>): PodTemplate {
  const own = rules(labels);
  return aPodTemplate({ labels, spec: aPodSpec({ ...own, requests: requestsOf(random) }) });
}

const requestsOf = (random: BenchmarkRandom) => ({
  cpu: random.oneOf(CPU_MILLI),
  memory: random.oneOf(MEMORY_MIB) * MIB,
  pods: 1,
});

/** Equal templates become one object, as when pods are read from an API server. */
export function createTemplateCache(): (template: PodTemplate) => PodTemplate {
  const kinds = new Map<string, PodTemplate>();
  return (template) => {
    const content = JSON.stringify(template);
    return getOrCreate(kinds, content, () => template);
  };
}
