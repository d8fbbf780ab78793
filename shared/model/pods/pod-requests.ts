import { addResources, maxResources, NO_RESOURCES, PODS, type Resources } from '../resources.ts';

/** Requests and limits. A missing request equals the limit. */
export interface ContainerDemand {
  readonly requests: Resources;
  readonly limits: Resources;
}

export interface PodDemand {
  readonly containers: readonly ContainerDemand[];
  /** In start order. A sidecar keeps running next to all later containers. */
  readonly initContainers: readonly (ContainerDemand & { readonly isSidecar: boolean })[];
  /** `resources` of the whole pod. */
  readonly pod: ContainerDemand;
  /** The overhead of the RuntimeClass. */
  readonly overhead: Resources;
}

/**
 * Computes the most that a pod needs at any moment, including `pods: 1`: its containers and
 * sidecars together, or an init container with the sidecars that run by then.
 *
 * @see k8s.io/component-helpers resource.PodRequests
 */
export function computePodRequests({ containers, initContainers, pod, overhead }: PodDemand): Resources {
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

/** A pod-level limit replaces the request only for resources that no container requests. */
const selectPodRequests = ({ requests, limits }: ContainerDemand, aggregate: Resources): Resources => ({
  ...limits,
  ...Object.fromEntries(Object.entries(aggregate).filter(([name]) => Object.hasOwn(limits, name))),
  ...requests,
});
