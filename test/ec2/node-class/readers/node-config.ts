import { parse } from 'yaml';
import * as z from 'zod';
import type { BootReading } from './boot-reading.ts';
import { readKubeletFlags } from './kubelet-flags.ts';

/** The part of nodeadm's schema that we write. Like nodeadm it refuses unknown fields. */
const schema = z.strictObject({
  apiVersion: z.literal('node.eks.aws/v1alpha1'),
  kind: z.literal('NodeConfig'),
  spec: z.strictObject({
    cluster: z.strictObject({
      name: z.string(),
      apiServerEndpoint: z.url(),
      certificateAuthority: z.base64(),
      cidr: z.string(),
    }),
    containerd: z.strictObject({}),
    instance: z.strictObject({
      localStorage: z.strictObject({ strategy: z.literal('RAID0').optional() }),
    }),
    kubelet: z.strictObject({
      config: z.looseObject({
        clusterDNS: z.array(z.string()).default([]),
        registerWithTaints: z.array(
          z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.string() }),
        ),
      }),
      flags: z.tuple([z.string()]),
    }),
  }),
});

/**
 * Reads a NodeConfig as nodeadm does.
 *
 * @throws Error - nodeadm would refuse it
 */
export function readNodeConfig(document: string): BootReading {
  const { cluster, instance, kubelet } = schema.parse(parse(document)).spec;
  const { clusterDNS, registerWithTaints, ...config } = kubelet.config;
  return {
    cluster: cluster.name,
    endpoint: cluster.apiServerEndpoint,
    certificateAuthority: cluster.certificateAuthority,
    serviceCidr: cluster.cidr,
    dns: clusterDNS,
    labels: readKubeletFlags(kubelet.flags[0]).labels,
    taints: registerWithTaints.map(({ key, value, effect }) =>
      value === undefined ? `${key}:${effect}` : `${key}=${value}:${effect}`,
    ),
    usesRaid0: instance.localStorage.strategy === 'RAID0',
    kubelet: config,
  };
}
