import * as z from 'zod';
import type { WrittenKubelet } from '../../../api/stored-objects/kubelet.ts';
import { formatTaint } from '../../../model/requirements/taints.ts';
import type { BootFacts } from './boot-facts.ts';

/** Formats the kubelet's command line, for families whose bootstrap script takes it. */
export function buildKubeletFlags({ labels, taints, kubelet }: BootFacts): string {
  const fields = readKubeletFields(kubelet);
  const flags: readonly (string | undefined)[] = [
    formatMapFlag('node-labels', labels, '='),
    formatListFlag('register-with-taints', taints.map(formatTaint)),
    formatFlag('max-pods', fields.maxPods),
    formatFlag('pods-per-core', fields.podsPerCore),
    formatMapFlag('system-reserved', fields.systemReserved, '='),
    formatMapFlag('kube-reserved', fields.kubeReserved, '='),
    formatMapFlag('eviction-hard', fields.evictionHard, '<'),
    formatMapFlag('eviction-soft', fields.evictionSoft, '<'),
    formatMapFlag('eviction-soft-grace-period', fields.evictionSoftGracePeriod, '='),
    formatFlag('eviction-max-pod-grace-period', fields.evictionMaxPodGracePeriod),
    formatFlag('image-gc-high-threshold', fields.imageGCHighThresholdPercent),
    formatFlag('image-gc-low-threshold', fields.imageGCLowThresholdPercent),
    formatFlag('cpu-cfs-quota', fields.cpuCFSQuota),
  ];
  return flags.filter((flag) => flag !== undefined).join(' ');
}

const formatFlag = (flag: string, value: number | boolean | undefined): string | undefined =>
  value === undefined ? undefined : `--${flag}=${value}`;

const formatListFlag = (flag: string, items: readonly string[]): string | undefined =>
  items.length === 0 ? undefined : `--${flag}="${items.join(',')}"`;

const formatMapFlag = (
  flag: string,
  values: Readonly<Record<string, string>> = {},
  sign: '=' | '<',
): string | undefined =>
  formatListFlag(
    flag,
    Object.entries(values).map(([key, value]) => `${key}${sign}${value}`),
  );

const amounts = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/**
 * The fields that every family supports. A field of another type is dropped here and reported by
 * validation.
 */
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
type KubeletFields = z.output<typeof schema>;

export const readKubeletFields = (kubelet: WrittenKubelet): KubeletFields => schema.parse(kubelet);
