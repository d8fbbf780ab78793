import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Labels } from '../../model/labels.ts';
import type { Pod, PodSpec, TopologySpreadConstraint } from '../../model/pods/pod.ts';
import type { Service } from '../../model/pods/workload.ts';
import { type LabelSelector, selects } from '../../model/requirements/selectors.ts';

/**
 * The pods as kube-scheduler takes them: it spreads those that say nothing of it by its own
 * constraints, over the pods of the same Services and of the same owner.
 *
 * @see kube-scheduler, PodTopologySpreadArgs `defaultConstraints`
 */
export function withDefaultSpread<T extends SpreadPod>(
  pods: readonly T[],
  { settings, services = [] }: Pick<ClusterSnapshot, 'settings' | 'services'>,
): readonly T[] {
  const { defaultSpread = [] } = settings ?? {};
  if (defaultSpread.length === 0) return pods;
  const byNamespace = Map.groupBy(services, ({ namespace }) => namespace);
  return pods.map((pod) => {
    if (pod.spec.topologySpread.length > 0) return pod;
    const matchLabels = findSpreadSelector(pod, byNamespace.get(pod.namespace) ?? []);
    if (Object.keys(matchLabels).length === 0) return pod;
    return { ...pod, spec: withSpread(pod.spec, defaultSpread, matchLabels) };
  });
}

/** What of a pod tells how it is spread. */
type SpreadPod = Pick<Pod, 'namespace' | 'labels' | 'owner' | 'spec'>;

/** The labels of the pods that one is spread over; none at all if nobody is known to be alike. */
function findSpreadSelector({ labels, owner }: SpreadPod, services: readonly Service[]): Labels {
  const serviceSelectors = services
    .map(({ selector }) => selector)
    .filter((selector) => selects(toSelector(selector), labels));
  const ownerLabels = owner && OWNERS_WITH_SELECTOR.has(owner.kind) ? withoutPodLabels(labels) : {};
  return Object.fromEntries(
    [...serviceSelectors, ownerLabels].flatMap((one) => Object.entries(one)),
  );
}

const OWNERS_WITH_SELECTOR: ReadonlySet<string> = new Set([
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

/**
 * The labels that all pods of an owner got from its template. Its selector takes some of them, and
 * finds the same pods: two owners must not claim each other's. So no owner has to be read.
 */
const withoutPodLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !LABELS_OF_ONE_POD.has(key)));

/** @see Kubernetes, StatefulSet controller */
const LABELS_OF_ONE_POD: ReadonlySet<string> = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);

const toSelector = (matchLabels: Labels): LabelSelector => ({ matchLabels, matchExpressions: [] });

// What is worked out for a spec is kept by the spec, so equal ones must be one object.
const specs = new WeakMap<PodSpec, Map<string, PodSpec>>();

function withSpread(
  spec: PodSpec,
  constraints: readonly TopologySpreadConstraint[],
  matchLabels: Labels,
): PodSpec {
  const topologySpread = constraints.map((one) => ({ ...one, selector: toSelector(matchLabels) }));
  const constraintsText = JSON.stringify(topologySpread);
  const byConstraints = specs.get(spec) ?? new Map<string, PodSpec>();
  specs.set(spec, byConstraints);
  const made = byConstraints.get(constraintsText) ?? { ...spec, topologySpread };
  byConstraints.set(constraintsText, made);
  return made;
}
