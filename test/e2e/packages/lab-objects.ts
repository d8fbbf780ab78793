import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { DISCOVERY_TAG } from '../lab/aws/account.ts';
import type { CloudClients } from '../lab/aws/cloud-clients.ts';
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

/** Returns the URL of the queue that receives the events of EC2, for stacks of the package. */
export async function findInterruptionQueue({ sqs }: CloudClients): Promise<string> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const queue = QueueUrls.find((url) => /QueuesInterruption(?!DeadLetters)/.test(url));
  if (queue === undefined) throw new Error('the stack has no queue for interruptions');
  return queue;
}
