import * as z from 'zod';
import type { KubeletSettings } from '../model/node-class.ts';
import { toResources } from '../model/quantity.ts';

/** `spec.kubelet` of an EC2NodeClass: any field is stored, as the API server does. */
export type WrittenKubelet = Readonly<Record<string, unknown>>;

const count = z.int().min(0).optional().catch(undefined);
const amounts = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .optional()
  .catch(undefined);

/** What changes a node's room. A field of another type is as absent: a launch would refuse it. */
const roomSchema = z.object({
  maxPods: count,
  podsPerCore: count,
  kubeReserved: amounts,
  systemReserved: amounts,
  evictionHard: z.record(z.string(), z.string()).optional().catch(undefined),
});

export function readKubelet(kubelet: WrittenKubelet): KubeletSettings {
  const { maxPods, podsPerCore, kubeReserved, systemReserved, evictionHard } =
    roomSchema.parse(kubelet);
  return {
    ...(maxPods === undefined ? {} : { maxPods }),
    ...(podsPerCore === undefined ? {} : { podsPerCore }),
    ...(kubeReserved ? { kubeReserved: toResources(kubeReserved) } : {}),
    ...(systemReserved ? { systemReserved: toResources(systemReserved) } : {}),
    ...(evictionHard ? { evictionHard } : {}),
  };
}
