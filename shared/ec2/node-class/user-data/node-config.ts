import { parse, stringify } from 'yaml';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { formatMime, isMime, type MimePart, parseMime, SHELL_SCRIPT } from './mime.ts';

export const NODE_CONFIG = 'application/node.eks.aws';

/**
 * What AL2023 starts from: documents for nodeadm, which merges them in their order. Ours is the last,
 * so what we set holds, and what the user set holds elsewhere.
 *
 * @see awslabs/amazon-eks-ami, nodeadm, NodeConfig v1alpha1
 * @throws UserDataError - the user's own cannot be read, or the cluster's service range is not known
 */
export const buildAl2023UserData = (facts: BootFacts): string =>
  formatMime([
    ...splitCustomParts(facts.custom),
    { contentType: NODE_CONFIG, body: buildNodeConfig(facts) },
  ]);

/** What the user wrote, part by part. @throws UserDataError - nobody can tell the parts */
export function splitCustomParts(custom: string): readonly MimePart[] {
  if (custom.trim() === '') return [];
  if (!isMime(custom)) {
    return [{ contentType: isYamlMap(custom) ? NODE_CONFIG : SHELL_SCRIPT, body: custom }];
  }
  const parts = parseMime(custom);
  if (!parts) throw new UserDataError('multipart user data names no boundary');
  return parts;
}

function isYamlMap(text: string): boolean {
  try {
    const read: unknown = parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read);
  } catch {
    return false;
  }
}

function buildNodeConfig({ cluster, labels, taints, kubelet, usesRaid0 }: BootFacts): string {
  const { name, endpoint, certificateAuthority, serviceCidr } = cluster;
  if (serviceCidr === undefined) {
    throw new UserDataError(
      'nodeadm needs the address range of Services, and nobody could tell it',
    );
  }
  const nodeLabels = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const document = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name, apiServerEndpoint: endpoint, certificateAuthority, cidr: serviceCidr },
      containerd: {},
      instance: { localStorage: usesRaid0 ? { strategy: 'RAID0' } : {} },
      kubelet: {
        config: { ...kubelet, registerWithTaints: taints },
        flags: [`--node-labels="${nodeLabels.join(',')}"`],
      },
    },
  };
  // One line for each value, however long: a certificate must not be folded.
  return `# Written by Mortise for one launch\n${stringify(document, { lineWidth: 0 })}`;
}
