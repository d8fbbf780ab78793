import * as z from 'zod';
import { ownValue } from '../../model/own-value.ts';
import { parseQuantity, type WrittenQuantity } from '../../model/quantity.ts';

const amountsSchema = z.record(z.string(), z.union([z.string(), z.number()])).catch({});
type Amounts = z.output<typeof amountsSchema>;

/** The status of a container, as far as it says what the kubelet has reserved for it. */
export const containerAllocationSchema = z.object({
  name: z.string().default(''),
  allocatedResources: amountsSchema.optional(),
  resources: z.looseObject({ requests: amountsSchema.optional() }).optional().catch(undefined),
});

type ContainerStatuses = readonly z.output<typeof containerAllocationSchema>[];

const containerSchema = z.looseObject({
  name: z.string(),
  resources: z.looseObject({ requests: amountsSchema.optional() }).optional(),
});

type Spec = Readonly<Record<string, unknown>>;

/**
 * Returns the spec of a pod with requests of at least what its containers hold on their node.
 * During an in-place resize the spec has the new size at once, while the kubelet frees or grants
 * resources later; kube-scheduler and Karpenter count the larger amount meanwhile.
 *
 * @returns the given spec if no container holds more than it requests
 * @see k8s.io/component-helpers resource.PodRequests with UseStatusResources
 */
export function raiseToAllocated(
  spec: Spec,
  statuses: Readonly<Record<'containers' | 'initContainers', ContainerStatuses>>,
): Spec {
  const containers = raiseContainers(spec.containers, statuses.containers);
  const initContainers = raiseContainers(spec.initContainers, statuses.initContainers);
  if (containers === spec.containers && initContainers === spec.initContainers) return spec;
  return { ...spec, containers, ...(initContainers === undefined ? {} : { initContainers }) };
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
  const larger = [
    ...Object.entries(status.allocatedResources ?? {}),
    ...Object.entries(status.resources?.requests ?? {}),
  ].reduce(takeLarger, requests);
  if (larger === requests) return written;
  return { ...container, resources: { ...container.resources, requests: larger } };
}

const takeLarger = (
  amounts: Amounts,
  [name, amount]: readonly [string, WrittenQuantity],
): Amounts => {
  const present = ownValue(amounts, name);
  return toNanos(amount) > toNanos(present) ? { ...amounts, [name]: amount } : amounts;
};

const toNanos = (written: WrittenQuantity | undefined): bigint =>
  (written === undefined ? undefined : parseQuantity(written))?.nanos ?? 0n;
