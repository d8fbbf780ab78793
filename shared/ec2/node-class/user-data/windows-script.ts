import type { BootFacts } from './boot-facts.ts';
import { buildKubeletFlags, readKubeletFields } from './kubelet-flags.ts';

/**
 * Builds the user data of Windows: one PowerShell script, the user's lines first.
 *
 * @see Amazon EKS, "Customize the Amazon EKS optimized Windows AMI"
 */
export function buildWindowsUserData(facts: BootFacts): string {
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
