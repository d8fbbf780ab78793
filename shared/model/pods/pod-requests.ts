import { addResources, maxResources, NO_RESOURCES, PODS, type Resources } from '../resources.ts';

/** What somebody asked for; a request that is missing is as large as its limit. */
export interface Demand {
  readonly requests: Resources;
  readonly limits: Resources;
}

export interface PodDemand {
  readonly containers: readonly Demand[];
  /** In the order in which they start; a sidecar keeps running beside all that follows. */
  readonly initContainers: readonly (Demand & { readonly isSidecar: boolean })[];
  /** `resources` of the pod as a whole. */
  readonly pod: Demand;
  /** What the RuntimeClass adds. */
  readonly overhead: Resources;
}

/**
 * The most that a pod needs at any moment of its life, itself (`pods: 1`) included: its containers
 * and sidecars together, or an init container with the sidecars that run by then.
 *
 * @see k8s.io/component-helpers resource.PodRequests
 */
export function podRequests({ containers, initContainers, pod, overhead }: PodDemand): Resources {
  let sidecars = NO_RESOURCES;
  let starting = NO_RESOURCES;
  for (const container of initContainers) {
    const withSidecars = addResources(effective(container), sidecars);
    if (container.isSidecar) sidecars = withSidecars;
    starting = maxResources(starting, withSidecars);
  }
  const running = addResources(...containers.map(effective), sidecars);

  const aggregate = maxResources(running, starting);
  const all = { ...aggregate, ...requestsOfPod(pod, aggregate) };
  return { ...addResources(all, overhead), [PODS]: 1 };
}

const effective = ({ requests, limits }: Demand): Resources => ({ ...limits, ...requests });

/** A pod's limit stands for its request only where no container requests the resource. */
const requestsOfPod = ({ requests, limits }: Demand, aggregate: Resources): Resources => ({
  ...limits,
  ...Object.fromEntries(Object.entries(aggregate).filter(([name]) => name in limits)),
  ...requests,
});
