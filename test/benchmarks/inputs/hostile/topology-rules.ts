import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  ZONE_LABEL,
} from '../../../../shared/model/labels.ts';
import type { PodAffinityTerm, PodSpec } from '../../../../shared/model/pods/pod.ts';
import { aPodSpec, aSelector, podsOf } from '../../../support/builders.ts';
import {
  anAffinityTerm,
  aSpread,
  createHostilePods,
  createHostileSnapshot,
  HOSTILE_NAMESPACE,
  type HostileInput,
  range,
} from './hostile-pods.ts';

const SIX_KEYS = [
  ZONE_LABEL,
  CAPACITY_TYPE_LABEL,
  ARCH_LABEL,
  'karpenter.k8s.aws/instance-family',
  'karpenter.k8s.aws/instance-size',
  'karpenter.k8s.aws/instance-cpu',
] as const;

/** Namespaces with labels, for selectors that every pod evaluates again. */
const createNamespaces = (count: number) =>
  Object.fromEntries(range(count, (id) => [`team-${id}`, { team: `${id}`, half: `${id % 2}` }]));

const createNamespaceTerm = (pod: number, id: number): PodAffinityTerm => ({
  ...anAffinityTerm(id % 2 === 0 ? ZONE_LABEL : HOSTNAME_LABEL, `nothing-${pod}-${id}`),
  namespaceSelector: {
    matchLabels: {},
    matchExpressions: [{ key: 'team', operator: 'NotIn', values: [`${pod}`, `${id}`] }],
  },
});

const apart = (app: string, namespace: string): Partial<PodSpec> => ({
  podAntiAffinity: [{ ...anAffinityTerm(HOSTNAME_LABEL, app), namespaces: [namespace] }],
});

/** Pods with spread and affinity rules in numbers or cycles that cannot be satisfied cheaply. */
export const TOPOLOGY_INPUTS: readonly HostileInput[] = [
  {
    name: 'spreads-200x6',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(200, (pod) => ({
          topologySpread: SIX_KEYS.map((key) => aSpread(key, `hostile-${pod}`)),
        })),
      ),
  },
  {
    name: 'spreads-replicas-200x6',
    snapshot: () =>
      createHostileSnapshot(
        podsOf(200, {
          namespace: HOSTILE_NAMESPACE,
          name: 'hostile',
          labels: { app: 'hostile' },
          spec: aPodSpec({ topologySpread: SIX_KEYS.map((key) => aSpread(key, 'hostile')) }),
        }),
      ),
  },
  {
    name: 'spread-instance-types-100',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(100, (pod) => ({
          topologySpread: [INSTANCE_TYPE_LABEL, ZONE_LABEL].map((key) => aSpread(key, `hostile-${pod}`)),
        })),
      ),
  },
  {
    name: 'match-label-keys-500',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(
          500,
          () => ({
            topologySpread: [ZONE_LABEL, HOSTNAME_LABEL].map((key) => ({
              ...aSpread(key, 'hostile'),
              matchLabelKeys: ['revision'],
            })),
          }),
          (pod) => ({ labels: { app: 'hostile', revision: `${pod}` } }),
        ),
      ),
  },
  {
    name: 'affinity-cycle-400',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(400, (pod) => ({
          podAffinity: [anAffinityTerm(ZONE_LABEL, `hostile-${(pod + 1) % 400}`)],
        })),
      ),
  },
  {
    name: 'affinity-chain-400',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(400, (pod) => ({
          podAffinity: pod === 399 ? [] : [anAffinityTerm(ZONE_LABEL, `hostile-${pod + 1}`)],
        })),
      ),
  },
  {
    name: 'namespace-selectors-200x20',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(200, (pod) => ({
          podAntiAffinity: range(20, (id) => createNamespaceTerm(pod, id)),
        })),
        {
          namespaces: {
            default: {},
            shop: {},
            [HOSTILE_NAMESPACE]: {},
            ...createNamespaces(1_000),
          },
        },
      ),
  },
  {
    name: 'anti-affinity-2x200',
    snapshot: () =>
      createHostileSnapshot(
        [HOSTILE_NAMESPACE, `${HOSTILE_NAMESPACE}-2`].flatMap((namespace, side, both) =>
          createHostilePods(
            200,
            () => apart('side', both[1 - side] ?? namespace),
            (pod) => ({ namespace, labels: { app: 'side', pod: `${pod}` } }),
          ),
        ),
      ),
  },
  {
    name: 'pod-preferences-100x60',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(100, (pod) => ({
          preferredPodAffinity: range(30, (id) => ({
            weight: id + 1,
            term: anAffinityTerm(ZONE_LABEL, `hostile-${(pod + id) % 100}`),
          })),
          preferredPodAntiAffinity: range(30, (id) => ({
            weight: id + 1,
            term: anAffinityTerm(HOSTNAME_LABEL, `hostile-${(pod + id) % 100}`),
          })),
        })),
      ),
  },
  {
    name: 'selector-values-200x2000',
    snapshot: () =>
      createHostileSnapshot(
        createHostilePods(200, (pod) => ({
          podAntiAffinity: [
            {
              ...anAffinityTerm(HOSTNAME_LABEL, ''),
              selector: {
                ...aSelector({}),
                matchExpressions: [{ key: 'app', operator: 'In', values: range(2_000, (id) => `app-${pod}-${id}`) }],
              },
            },
          ],
        })),
      ),
  },
];
