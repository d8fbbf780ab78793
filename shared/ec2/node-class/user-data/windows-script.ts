import type { BootFacts } from './boot-facts.ts';
import { kubeletFields } from './kubelet-fields.ts';
import { kubeletFlags } from './kubelet-flags.ts';

/**
 * What Windows starts from: one PowerShell script, the user's lines first.
 *
 * @see Amazon EKS, "Customize the Amazon EKS optimized Windows AMI"
 */
export function windowsUserData(facts: BootFacts): string {
  const { name, endpoint, certificateAuthority } = facts.cluster;
  const [dns] = kubeletFields(facts.kubelet).clusterDNS ?? [];
  const call = [
    '& $EKSBootstrapScriptFile',
    `-EKSClusterName '${name}'`,
    `-APIServerEndpoint '${endpoint}'`,
    `-Base64ClusterCA '${certificateAuthority}'`,
    `-KubeletExtraArgs '${kubeletFlags(facts)}'`,
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
