import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod';
import { readKubelet, type WrittenKubelet } from '../../../api/stored-objects/kubelet.ts';
import type { EC2NodeClass, KubeletSettings } from '../../../model/nodes/node-class.ts';
import { NODE_CONFIG, splitCustomParts } from './node-config.ts';

const RESERVING = ['kubeReserved', 'systemReserved', 'evictionHard'] as const;
type Reserves = Pick<KubeletSettings, (typeof RESERVING)[number]>;

/**
 * Adds the reserves that the custom user data configures. They apply where `spec.kubelet` sets
 * nothing, and a plan without them would overestimate allocatable.
 */
export function withUserDataReserves(nodeClass: EC2NodeClass, userData = ''): EC2NodeClass {
  const { amiFamily, kubelet } = nodeClass;
  const reserves = readReserves(amiFamily, userData).map(readKubelet);
  // Merged in the order in which the node merges them; `spec.kubelet` is last.
  const merged = [...reserves, kubelet].reduce<Reserves>(merge, {});
  return { ...nodeClass, kubelet: { ...kubelet, ...merged } };
}

const merge = (before: Reserves, { kubeReserved, systemReserved, evictionHard }: Reserves) => ({
  ...before,
  ...(kubeReserved && { kubeReserved: { ...before.kubeReserved, ...kubeReserved } }),
  ...(systemReserved && { systemReserved: { ...before.systemReserved, ...systemReserved } }),
  ...(evictionHard && { evictionHard: { ...before.evictionHard, ...evictionHard } }),
});

/**
 * Returns nothing for scripts and for user data that cannot be parsed, which validation reports.
 */
function readReserves(family: EC2NodeClass['amiFamily'], userData: string): readonly WrittenKubelet[] {
  if (userData.trim() === '') return [];
  try {
    if (family === 'Bottlerocket') return [readBottlerocketSettings(userData)];
    return family === 'AL2023' ? readNodeConfigs(userData) : [];
  } catch {
    return [];
  }
}

const table = z.record(z.string(), z.unknown()).catch({});
const nodeConfig = z.object({
  spec: z.object({ kubelet: z.object({ config: table }).optional() }).optional(),
});
const bottlerocket = z.object({
  settings: z
    .object({
      kubernetes: z.object({
        'kube-reserved': z.unknown().optional(),
        'system-reserved': z.unknown().optional(),
        'eviction-hard': z.unknown().optional(),
      }),
    })
    .optional(),
});

const readNodeConfigs = (userData: string): readonly WrittenKubelet[] =>
  splitCustomParts(userData)
    .filter(({ contentType }) => contentType.startsWith(NODE_CONFIG))
    .map(({ body }) => nodeConfig.parse(parseYaml(body)).spec?.kubelet?.config ?? {});

function readBottlerocketSettings(userData: string): WrittenKubelet {
  const kubernetes = bottlerocket.parse(parseToml(userData)).settings?.kubernetes;
  return {
    kubeReserved: kubernetes?.['kube-reserved'],
    systemReserved: kubernetes?.['system-reserved'],
    evictionHard: kubernetes?.['eviction-hard'],
  };
}
