import type { AmiFamily } from '../../../model/nodes/node-class.ts';
import { isIpv6 } from '../launch-template/network-interfaces.ts';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { buildBottlerocketUserData } from './bottlerocket-settings.ts';
import { buildKubeletFlags, readKubeletFields } from './kubelet-flags.ts';
import { formatMime, isMime, type MimePart, parseMime, SHELL_SCRIPT } from './mime.ts';
import { buildAl2023UserData } from './node-config.ts';

/**
 * Builds the user data of AL2: shell scripts, with the bootstrap script last.
 *
 * @see awslabs/amazon-eks-ami, bootstrap.sh
 * @throws UserDataError - the custom user data cannot be parsed
 */
const buildAl2UserData = (facts: BootFacts): string =>
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

/**
 * Builds the user data of Windows: one PowerShell script, the user's lines first.
 *
 * @see Amazon EKS, "Customize the Amazon EKS optimized Windows AMI"
 */
function buildWindowsUserData(facts: BootFacts): string {
  const { name, endpoint, certificateAuthority } = facts.cluster;
  const [dns] = readKubeletFields(facts.kubelet).clusterDNS ?? [];
  const call = [
    '& $EKSBootstrapScriptFile',
    `-EKSClusterName '${name}'`,
    `-APIServerEndpoint '${endpoint}'`,
    `-Base64ClusterCA '${certificateAuthority}'`,
    `-KubeletExtraArgs '${buildKubeletFlags(facts)}'`,
    ...(dns === undefined ? [] : [`-DNSClusterIP '${dns}'`]),
  ];
  return [
    '<powershell>',
    ...(facts.custom === '' ? [] : [facts.custom.trimEnd()]),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    call.join(' '),
    '</powershell>',
    '',
  ].join('\n');
}

/** EC2's limit, before base64. */
const MAX_BYTES = 16_384;

/**
 * Builds the user data of an instance in the format of its AMI family.
 *
 * @throws UserDataError - the custom user data cannot be parsed, a fact about the cluster is
 *   missing, or the result exceeds EC2's limit
 */
export function buildUserData(family: AmiFamily, facts: BootFacts): string {
  const text = BUILDERS[family](facts);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_BYTES) {
    const why = `User data is limited to ${MAX_BYTES} bytes, and this is ${bytes}`;
    throw new UserDataError(why, { reason: 'UserDataSizeLimitExceeded' });
  }
  return text;
}

const BUILDERS: Readonly<Record<AmiFamily, (facts: BootFacts) => string>> = {
  AL2: buildAl2UserData,
  AL2023: buildAl2023UserData,
  Bottlerocket: buildBottlerocketUserData,
  Windows2019: buildWindowsUserData,
  Windows2022: buildWindowsUserData,
  Windows2025: buildWindowsUserData,
  Custom: ({ custom }) => custom,
};
