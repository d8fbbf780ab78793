import { formatTaint } from '../../../model/taints.ts';
import type { BootFacts } from './boot-facts.ts';
import { kubeletFields } from './kubelet-fields.ts';

/** The kubelet's command line, for families whose bootstrap script takes it. */
export function kubeletFlags({ labels, taints, kubelet }: BootFacts): string {
  const fields = kubeletFields(kubelet);
  const flags: readonly (string | undefined)[] = [
    map('node-labels', labels, '='),
    list('register-with-taints', taints.map(formatTaint)),
    plain('max-pods', fields.maxPods),
    plain('pods-per-core', fields.podsPerCore),
    map('system-reserved', fields.systemReserved, '='),
    map('kube-reserved', fields.kubeReserved, '='),
    map('eviction-hard', fields.evictionHard, '<'),
    map('eviction-soft', fields.evictionSoft, '<'),
    map('eviction-soft-grace-period', fields.evictionSoftGracePeriod, '='),
    plain('eviction-max-pod-grace-period', fields.evictionMaxPodGracePeriod),
    plain('image-gc-high-threshold', fields.imageGCHighThresholdPercent),
    plain('image-gc-low-threshold', fields.imageGCLowThresholdPercent),
    plain('cpu-cfs-quota', fields.cpuCFSQuota),
  ];
  return flags.filter((flag) => flag !== undefined).join(' ');
}

const plain = (flag: string, value: number | boolean | undefined): string | undefined =>
  value === undefined ? undefined : `--${flag}=${value}`;

const list = (flag: string, items: readonly string[]): string | undefined =>
  items.length === 0 ? undefined : `--${flag}="${items.join(',')}"`;

const map = (
  flag: string,
  values: Readonly<Record<string, string>> = {},
  sign: '=' | '<',
): string | undefined =>
  list(
    flag,
    Object.entries(values).map(([key, value]) => `${key}${sign}${value}`),
  );
