import type { ClusterSnapshot } from '../../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../../shared/model/labels.ts';
import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../../../shared/model/pods/pod.ts';
import { aPod, aPodSpec, aSelector, podsOf, resources } from '../../../support/builders.ts';
import { createEc2Snapshot } from '../ec2-snapshot.ts';

/** Pods that make plans long, beside 50 ordinary pods. */
export interface HostileInput {
  readonly name: string;
  readonly snapshot: () => ClusterSnapshot;
}

export const range = <T>(count: number, toItem: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => toItem(index));

/** The namespace of the hostile pods. */
export const HOSTILE_NAMESPACE = 'hostile';
const ORDINARY_NAMESPACE = 'shop';
const ORDINARY_REPLICAS = 10;

/** Five Deployments of ten replicas each, as most clusters have them. */
function createOrdinaryPods(): readonly Pod[] {
  const specs: readonly Partial<PodSpec>[] = [
    { requests: resources(0.5, 1, { pods: 1 }) },
    { requests: resources(2, 8, { pods: 1 }) },
    { topologySpread: [aSpread(ZONE_LABEL, 'ordinary-2')] },
    { podAntiAffinity: [anAffinityTerm(HOSTNAME_LABEL, 'ordinary-3')] },
    {
      preferredNodeTerms: [{ weight: 10, term: [{ key: ZONE_LABEL, operator: 'In', values: ['us-east-1a'] }] }],
    },
  ];
  return specs.flatMap((spec, index) =>
    podsOf(ORDINARY_REPLICAS, {
      namespace: ORDINARY_NAMESPACE,
      name: `ordinary-${index}`,
      labels: { app: `ordinary-${index}` },
      spec: aPodSpec(spec),
    }),
  );
}

/** True for the pods of `createOrdinaryPods`, by their key. */
export const isOrdinary = (key: string): boolean => key.startsWith(`${ORDINARY_NAMESPACE}/`);

export const aSpread = (key: string, app: string): TopologySpreadConstraint => ({
  key,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: aSelector({ app }),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
});

export const anAffinityTerm = (key: string, app: string): PodAffinityTerm => ({
  key,
  selector: aSelector({ app }),
  matchLabelKeys: [],
  namespaces: [],
});

/** `count` hostile pods without an owner, each with a spec and labels of its own. */
export const createHostilePods = (
  count: number,
  toSpec: (index: number) => Partial<PodSpec>,
  toPod: (index: number) => Partial<Pod> = () => ({}),
): readonly Pod[] =>
  Array.from({ length: count }, (_, index) =>
    aPod({
      namespace: HOSTILE_NAMESPACE,
      name: `hostile-${index}`,
      labels: { app: `hostile-${index}` },
      spec: aPodSpec({
        requests: resources(0.25, 0.5, { pods: 1 }),
        ...toSpec(index),
      }),
      ...toPod(index),
    }),
  );

/** All EC2 types, the ordinary pods and these pods, the hostile ones first in age. */
export const createHostileSnapshot = (hostile: readonly Pod[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  createEc2Snapshot({
    namespaces: { default: {}, [ORDINARY_NAMESPACE]: {}, [HOSTILE_NAMESPACE]: {} },
    ...over,
    pods: [...hostile, ...createOrdinaryPods()],
  });
