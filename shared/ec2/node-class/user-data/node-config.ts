import { parse, stringify } from 'yaml';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { formatMime, isMime, type MimePart, parseMime, SHELL_SCRIPT } from './mime.ts';

export const NODE_CONFIG = 'application/node.eks.aws';

/**
 * Builds the user data of AL2023: documents that nodeadm merges in their order. Ours is the last,
 * so its settings take precedence and other settings of the user stay.
 *
 * @see awslabs/amazon-eks-ami, nodeadm, NodeConfig v1alpha1
 * @throws UserDataError - the custom user data cannot be parsed, or the service CIDR is unknown
 */
export const buildAl2023UserData = (facts: BootFacts): string =>
  formatMime([...splitCustomParts(facts.custom), { contentType: NODE_CONFIG, body: buildNodeConfig(facts) }]);

/**
 * Splits the custom user data into parts.
 *
 * @throws UserDataError - the multipart document names no boundary
 */
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
    throw new UserDataError('nodeadm needs the address range of Services, which is not known yet');
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
  // No line folding, because a certificate must stay on one line.
  return `# Written by Mortise for one launch\n${stringify(document, { lineWidth: 0 })}`;
}
