import { addResources, maxResources, NO_RESOURCES, PODS, type Resources } from '../resources.ts';

/** What somebody asked for; a request that is missing is as large as its limit. */
export interface ContainerDemand {
  readonly requests: Resources;
  readonly limits: Resources;
}

export interface PodDemand {
  readonly containers: readonly ContainerDemand[];
  /** In the order in which they start; a sidecar keeps running beside all that follows. */
  readonly initContainers: readonly (ContainerDemand & { readonly isSidecar: boolean })[];
  /** `resources` of the pod as a whole. */
  readonly pod: ContainerDemand;
  /** What the RuntimeClass adds. */
  readonly overhead: Resources;
}

/**
 * The most that a pod needs at any moment of its life, itself (`pods: 1`) included: its containers
 * and sidecars together, or an init container with the sidecars that run by then.
 *
 * @see k8s.io/component-helpers resource.PodRequests
 */
export function computePodRequests({
  containers,
  initContainers,
  pod,
  overhead,
}: PodDemand): Resources {
  let sidecars = NO_RESOURCES;
  let starting = NO_RESOURCES;
  for (const container of initContainers) {
    const withSidecars = addResources(toEffectiveRequests(container), sidecars);
    if (container.isSidecar) sidecars = withSidecars;
    starting = maxResources(starting, withSidecars);
  }
  const running = addResources(...containers.map(toEffectiveRequests), sidecars);

  const aggregate = maxResources(running, starting);
  const all = { ...aggregate, ...selectPodRequests(pod, aggregate) };
  return { ...addResources(all, overhead), [PODS]: 1 };
}

const toEffectiveRequests = ({ requests, limits }: ContainerDemand): Resources => ({
  ...limits,
  ...requests,
});

/** A pod's limit stands for its request only where no container requests the resource. */
const selectPodRequests = (
  { requests, limits }: ContainerDemand,
  aggregate: Resources,
): Resources => ({
  ...limits,
  ...Object.fromEntries(Object.entries(aggregate).filter(([name]) => name in limits)),
  ...requests,
});
