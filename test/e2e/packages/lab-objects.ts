import { DISCOVERY_TAG } from '../lab/aws/account.ts';
import type { Lab } from '../lab/start-lab.ts';
import { NODE_CLASS } from '../world.ts';

/** Options of the stack that replace what the local AWS cannot answer. */
export function settingsOf({ controlPlane, hooks }: Lab): Readonly<Record<string, string>> {
  const authority = Buffer.from(controlPlane.certificateAuthority).toString('base64');
  return {
    endpoint: controlPlane.url,
    certificateAuthority: authority,
    eventSource: 'hook',
    // The local Lambda has no quota of concurrency.
    intakeConcurrency: 'none',
    hookAddress: `${hooks.url}/`,
    hookCertificateAuthority: authority,
  };
}

/** The EC2NodeClass of the pools of a scenario. */
export function nodeClassFor(cluster: string, role: string): object {
  const terms = [{ tags: { [DISCOVERY_TAG]: cluster } }];
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: NODE_CLASS },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      role,
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
    },
  };
}
