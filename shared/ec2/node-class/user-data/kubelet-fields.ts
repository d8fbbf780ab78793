import * as z from 'zod';
import type { WrittenKubelet } from '../../../api/kubelet.ts';

const amounts = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The fields that every family has words for. One of another type is as absent: validation tells. */
const schema = z.object({
  clusterDNS: optional(z.array(z.string())),
  maxPods: optional(z.number()),
  podsPerCore: optional(z.number()),
  systemReserved: optional(amounts),
  kubeReserved: optional(amounts),
  evictionHard: optional(amounts),
  evictionSoft: optional(amounts),
  evictionSoftGracePeriod: optional(amounts),
  evictionMaxPodGracePeriod: optional(z.number()),
  imageGCHighThresholdPercent: optional(z.number()),
  imageGCLowThresholdPercent: optional(z.number()),
  cpuCFSQuota: optional(z.boolean()),
});
export type KubeletFields = z.output<typeof schema>;

export const kubeletFields = (kubelet: WrittenKubelet): KubeletFields => schema.parse(kubelet);
