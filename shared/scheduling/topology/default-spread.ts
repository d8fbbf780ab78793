import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Pod, PodSpec, TopologySpreadConstraint } from '../../model/pods/pod.ts';
import type { Service } from '../../model/pods/workload.ts';
import { type LabelSelector, selects } from '../../model/requirements/selectors.ts';

/**
 * Adds kube-scheduler's default spread constraints to pods without constraints of their own. They
 * count the pods that share the pod's Services and owner.
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

/** The fields of a pod that decide its default spread. */
type SpreadPod = Pick<Pod, 'namespace' | 'labels' | 'owner' | 'spec'>;

/**
 * Finds the labels of the default constraints' selector; empty if neither a Service nor an owner
 * with a selector matches the pod, which then gets no default constraints.
 */
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
 * Keeps the labels that all pods of an owner got from its template. The owner's selector takes some
 * of them and selects the same pods, because two owners must not claim each other's pods. So the
 * owner need not be read.
 */
const withoutPodLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !LABELS_OF_ONE_POD.has(key)));

/** @see Kubernetes, StatefulSet controller */
const LABELS_OF_ONE_POD: ReadonlySet<string> = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);

const toSelector = (matchLabels: Labels): LabelSelector => ({ matchLabels, matchExpressions: [] });

// Other caches are keyed by spec, so equal specs must be one object.
const specs = new WeakMap<PodSpec, Map<string, PodSpec>>();

function withSpread(
  spec: PodSpec,
  constraints: readonly TopologySpreadConstraint[],
  matchLabels: Labels,
): PodSpec {
  const topologySpread = constraints.map((one) => ({ ...one, selector: toSelector(matchLabels) }));
  const constraintsText = JSON.stringify(topologySpread);
  const byConstraints = getOrCreate(specs, spec, () => new Map());
  return getOrCreate(byConstraints, constraintsText, () => ({ ...spec, topologySpread }));
}
