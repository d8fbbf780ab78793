import { parse } from 'smol-toml';
import * as z from 'zod';
import type { BootReading } from './boot-reading.ts';

const amounts = z.record(z.string(), z.string()).optional();
const percent = z.string().regex(/^\d+$/).optional();

/** The settings that the golden cases use. Bottlerocket's API refuses unknown ones. */
const kubernetes = z.strictObject({
  'api-server': z.url(),
  'cluster-certificate': z.base64(),
  'cluster-name': z.string(),
  'cluster-dns-ip': z.string().optional(),
  'max-pods': z.int(),
  'node-labels': z.record(z.string(), z.string()),
  'node-taints': z.record(z.string(), z.array(z.string().regex(/^[^:]*:\w+$/))),
  'system-reserved': amounts,
  'kube-reserved': amounts,
  'eviction-hard': amounts,
  'eviction-soft': amounts,
  'eviction-soft-grace-period': amounts,
  'eviction-max-pod-grace-period': z.int().optional(),
  'image-gc-high-threshold-percent': percent,
  'image-gc-low-threshold-percent': percent,
  'cpu-cfs-quota-enforced': z.boolean().optional(),
  'static-pods': z.record(z.string(), z.looseObject({})).optional(),
});

const schema = z.object({
  settings: z.looseObject({
    kubernetes,
    'bootstrap-commands': z
      .record(
        z.string(),
        z.strictObject({
          commands: z.array(z.array(z.string())),
          mode: z.enum(['always', 'once', 'off']),
          essential: z.boolean(),
        }),
      )
      .optional(),
  }),
});

export type BottlerocketSettings = z.output<typeof schema>['settings'];

/**
 * @throws Error - Bottlerocket would refuse to start
 */
export const readSettings = (document: string): BottlerocketSettings => schema.parse(parse(document)).settings;

export function readBottlerocket(settings: BottlerocketSettings): BootReading {
  const { kubernetes: own, 'bootstrap-commands': commands = {} } = settings;
  const kubelet = {
    maxPods: own['max-pods'],
    systemReserved: own['system-reserved'],
    kubeReserved: own['kube-reserved'],
    evictionHard: own['eviction-hard'],
    evictionSoft: own['eviction-soft'],
    evictionSoftGracePeriod: own['eviction-soft-grace-period'],
    evictionMaxPodGracePeriod: own['eviction-max-pod-grace-period'],
    imageGCHighThresholdPercent: numberOf(own['image-gc-high-threshold-percent']),
    imageGCLowThresholdPercent: numberOf(own['image-gc-low-threshold-percent']),
    cpuCFSQuota: own['cpu-cfs-quota-enforced'],
  };
  const dns = own['cluster-dns-ip'];
  return {
    cluster: own['cluster-name'],
    endpoint: own['api-server'],
    certificateAuthority: own['cluster-certificate'],
    dns: dns === undefined ? [] : [dns],
    labels: own['node-labels'],
    taints: Object.entries(own['node-taints']).flatMap(([key, values]) =>
      values.map((value) => (value.startsWith(':') ? `${key}${value}` : `${key}=${value}`)),
    ),
    usesRaid0: Object.hasOwn(commands, '000-mount-instance-storage'),
    kubelet: Object.fromEntries(Object.entries(kubelet).filter(([, value]) => value !== undefined)),
  };
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
