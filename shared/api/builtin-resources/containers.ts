import * as z from 'zod';
import type { HostPort } from '../../model/pods/pod.ts';
import { type ContainerDemand, computePodRequests } from '../../model/pods/pod-requests.ts';
import { toResources } from '../../model/quantity.ts';
import type { Resources } from '../../model/resources.ts';
import { amountsSchema } from './quantities.ts';

export const demandSchema = z.object({
  requests: amountsSchema.optional(),
  limits: amountsSchema.optional(),
});
export type WrittenDemand = z.output<typeof demandSchema>;

const portNumber = z.int().min(0).max(65_535);

export const containerSchema = z.object({
  name: z.string().optional(),
  resources: demandSchema.optional(),
  restartPolicy: z.string().optional(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  ports: z
    .array(
      z.object({
        containerPort: portNumber.optional(),
        hostPort: portNumber.optional(),
        protocol: z.string().default('TCP'),
        hostIP: z.string().default(''),
      }),
    )
    .optional(),
});
export type WrittenContainer = z.output<typeof containerSchema>;

interface Containers {
  readonly containers: readonly WrittenContainer[];
  readonly initContainers?: readonly WrittenContainer[] | undefined;
}

/** Computes the effective requests of a pod with these containers. */
export const readRequests = (
  { containers, initContainers = [] }: Containers,
  pod: WrittenDemand = {},
  overhead: WrittenDemand['requests'] = {},
): Resources =>
  computePodRequests({
    containers: containers.map(({ resources }) => readDemand(resources)),
    initContainers: initContainers.map((container) => ({
      ...readDemand(container.resources),
      isSidecar: isSidecar(container),
    })),
    pod: readDemand(pod),
    overhead: toResources(overhead),
  });

const readDemand = ({ requests = {}, limits = {} }: WrittenDemand = {}): ContainerDemand => ({
  requests: toResources(requests),
  limits: toResources(limits),
});

const isSidecar = ({ restartPolicy }: WrittenContainer): boolean => restartPolicy === 'Always';

/** Lists the node ports that the pod occupies. */
export const readHostPorts = (
  { containers, initContainers = [] }: Containers,
  hostNetwork: boolean,
): readonly HostPort[] =>
  [...containers, ...initContainers.filter(isSidecar)]
    .flatMap(({ ports = [] }) => ports)
    .map(({ containerPort = 0, hostPort = 0, protocol, hostIP }) => ({
      port: hostPort || (hostNetwork ? containerPort : 0),
      protocol,
      // The address that stands for all addresses, as in kube-scheduler.
      ip: hostIP === '0.0.0.0' ? '' : hostIP,
    }))
    .filter(({ port }) => port > 0);
