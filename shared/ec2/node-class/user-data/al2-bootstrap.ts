import { isIpv6 } from '../launch-template/network-interfaces.ts';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { buildKubeletFlags, readKubeletFields } from './kubelet-flags.ts';
import { formatMime, isMime, type MimePart, parseMime, SHELL_SCRIPT } from './mime.ts';

/**
 * Builds the user data of AL2: shell scripts, with the bootstrap script last.
 *
 * @see awslabs/amazon-eks-ami, bootstrap.sh
 * @throws UserDataError - the custom user data cannot be parsed
 */
export const buildAl2UserData = (facts: BootFacts): string =>
  formatMime([...splitScript(facts.custom), { contentType: SHELL_SCRIPT, body: buildScript(facts) }]);

function splitScript(custom: string): readonly MimePart[] {
  if (custom.trim() === '') return [];
  if (!isMime(custom)) return [{ contentType: SHELL_SCRIPT, body: custom.replaceAll('\r', '') }];
  const parts = parseMime(custom);
  if (!parts) throw new UserDataError('multipart user data names no boundary');
  return parts;
}

function buildScript(facts: BootFacts): string {
  const { name, endpoint, certificateAuthority } = facts.cluster;
  const [dns] = readKubeletFields(facts.kubelet).clusterDNS ?? [];
  const command = [
    `/etc/eks/bootstrap.sh '${name}' --apiserver-endpoint '${endpoint}' --b64-cluster-ca '${certificateAuthority}'`,
    ...(isIpv6(dns) ? ['--ip-family ipv6'] : []),
    ...(dns === undefined ? [] : [`--dns-cluster-ip '${dns}'`]),
    // `--max-pods` is among the kubelet's flags.
    '--use-max-pods false',
    `--kubelet-extra-args '${buildKubeletFlags(facts)}'`,
    ...(facts.usesRaid0 ? ['--local-disks raid0'] : []),
  ];
  return [
    '#!/bin/bash -xe',
    'exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1',
    command.join(' \\\n'),
  ].join('\n');
}
