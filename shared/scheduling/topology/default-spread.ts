import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { findOwnerLabels } from '../../model/pods/owner-selector.ts';
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
function findSpreadSelector(pod: SpreadPod, services: readonly Service[]): Labels {
  const serviceSelectors = services
    .map(({ selector }) => selector)
    .filter((selector) => selects(toSelector(selector), pod.labels));
  return Object.fromEntries([...serviceSelectors, findOwnerLabels(pod)].flatMap((one) => Object.entries(one)));
}

const toSelector = (matchLabels: Labels): LabelSelector => ({ matchLabels, matchExpressions: [] });

// Other caches are keyed by spec, so equal specs must be one object.
const specs = new WeakMap<PodSpec, Map<string, PodSpec>>();

function withSpread(spec: PodSpec, constraints: readonly TopologySpreadConstraint[], matchLabels: Labels): PodSpec {
  const topologySpread = constraints.map((one) => ({ ...one, selector: toSelector(matchLabels) }));
  const constraintsText = JSON.stringify(topologySpread);
  const byConstraints = getOrCreate(specs, spec, () => new Map());
  return getOrCreate(byConstraints, constraintsText, () => ({ ...spec, topologySpread }));
}
