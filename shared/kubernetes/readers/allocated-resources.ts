import * as z from 'zod';
import { ownValue } from '../../model/own-value.ts';
import { parseQuantity, type WrittenQuantity } from '../../model/quantity.ts';

const amountsSchema = z.record(z.string(), z.union([z.string(), z.number()])).catch({});
type Amounts = z.output<typeof amountsSchema>;

/** The part of a status that says what the kubelet has reserved. */
export const allocationSchema = z.object({
  allocatedResources: amountsSchema.optional(),
  resources: z.looseObject({ requests: amountsSchema.optional() }).optional().catch(undefined),
});
type Allocation = z.output<typeof allocationSchema>;

/** The status of a container, as far as it says what the kubelet has reserved for it. */
export const containerAllocationSchema = allocationSchema.extend({
  name: z.string().default(''),
});

type ContainerStatuses = readonly z.output<typeof containerAllocationSchema>[];

const demandSchema = z.looseObject({ requests: amountsSchema.optional() });
const containerSchema = z.looseObject({ name: z.string(), resources: demandSchema.optional() });

type Spec = Readonly<Record<string, unknown>>;

/** The resources that the kubelet reports for the containers of a pod and for the whole pod. */
interface PodAllocation extends Allocation {
  readonly containers: ContainerStatuses;
  readonly initContainers: ContainerStatuses;
}

/**
 * Returns the spec of a pod with requests of at least what its containers hold on their node, and
 * with pod-level `resources` of at least what the pod holds. During an in-place resize the spec has the new size at once, while the kubelet frees or grants
 * resources later; kube-scheduler and Karpenter count the larger amount meanwhile.
 *
 * @returns the given spec if nothing holds more than it requests
 * @see k8s.io/component-helpers resource.PodRequests with UseStatusResources
 */
export function raiseToAllocated(spec: Spec, status: PodAllocation): Spec {
  const raised = {
    containers: raiseContainers(spec.containers, status.containers),
    initContainers: raiseContainers(spec.initContainers, status.initContainers),
    resources: raisePod(spec.resources, status),
  };
  const changed = Object.entries(raised).filter(([name, value]) => value !== ownValue(spec, name));
  return changed.length === 0 ? spec : { ...spec, ...Object.fromEntries(changed) };
}

/**
 * Without pod-level `resources` the pod holds what its containers hold. The API server fills in the
 * requests of a pod that has only limits.
 */
function raisePod(written: unknown, status: Allocation): unknown {
  const { data: resources } = demandSchema.safeParse(written);
  if (!resources) return written;
  const { requests = {} } = resources;
  const larger = listHeld(status).reduce(takeLarger, requests);
  return larger === requests ? written : { ...resources, requests: larger };
}

function raiseContainers(written: unknown, statuses: ContainerStatuses): unknown {
  if (!Array.isArray(written) || statuses.length === 0) return written;
  const raised = written.map((container: unknown) => raiseContainer(container, statuses));
  return raised.some((container, index) => container !== written[index]) ? raised : written;
}

function raiseContainer(written: unknown, statuses: ContainerStatuses): unknown {
  const { data: container } = containerSchema.safeParse(written);
  const status = container && statuses.find(({ name }) => name === container.name);
  if (!status) return written;
  const requests = container.resources?.requests ?? {};
  const larger = listHeld(status).reduce(takeLarger, requests);
  if (larger === requests) return written;
  return { ...container, resources: { ...container.resources, requests: larger } };
}

const listHeld = ({ allocatedResources, resources }: Allocation) => [
  ...Object.entries(allocatedResources ?? {}),
  ...Object.entries(resources?.requests ?? {}),
];

const takeLarger = (amounts: Amounts, [name, amount]: readonly [string, WrittenQuantity]): Amounts => {
  const present = ownValue(amounts, name);
  return toNanos(amount) > toNanos(present) ? { ...amounts, [name]: amount } : amounts;
};

const toNanos = (written: WrittenQuantity | undefined): bigint =>
  (written === undefined ? undefined : parseQuantity(written))?.nanos ?? 0n;
