import {
  removeCluster,
  type SetupOptions,
  type SetupPorts,
  setUpCluster,
} from '../../shared/controllers/webhooks/cluster-setup.ts';
import type { IdentityRemoval, RemovalReport, UnmanagedDefinition } from '../../shared/ports/cluster-setup.ts';
import type { Done } from '../support/cloud-formation/answer-cloud-formation.ts';
import type { CloudFormationRequest } from '../support/cloud-formation/cloud-formation-request.ts';
import { logger } from '../support/telemetry.ts';

/**
 * Sets up or removes what the stack has in the cluster. Returns the attributes and the sentence for
 * CloudFormation.
 */
export async function runRequest(
  ports: SetupPorts,
  options: SetupOptions,
  { RequestType }: CloudFormationRequest,
): Promise<Done> {
  if (RequestType === 'Delete') return { reason: sentenceOf(await removeCluster(ports)) };

  const { installation, unmanagedDefinitions: remaining } = await setUpCluster(ports, options);
  for (const definition of remaining) logger.warn('definition left alone', { ...definition });
  return {
    reason: installation.why,
    attributes: {
      EventSource: installation.eventSource,
      Why: installation.why,
      LeftDefinitions: remaining.map(leftPhrase).join('; ') || 'none',
    },
  };
}

const leftPhrase = ({ name, keeper, version, isUsable }: UnmanagedDefinition): string =>
  `${name} is kept by ${keeper}${isUsable ? '' : ` and does not serve ${version}`}`;

/** Long lists go to the log, which outlives the stack. */
function sentenceOf(report: Awaited<ReturnType<typeof removeCluster>>): string {
  // A long list of nodes may be cut off, so it comes last.
  return `${identitySentence(report.identities)} ${nodeSentence(report)}`.trim();
}

function nodeSentence({ orphans, why, isHandedOver, runningNodes }: RemovalReport): string {
  if (orphans.length > 0) {
    return `The cluster could not be cleaned up (${why}). Still there may be: ${orphans.join(', ')}.`;
  }
  if (isHandedOver) return 'Karpenter has the cluster: its nodes were left to it as they are.';
  if (!runningNodes || runningNodes.length === 0) return 'Nothing of ours runs on.';
  logger.warn('nodes run on', { nodes: runningNodes });
  const names = runningNodes.map(({ name, providerId }) => `${name} (${providerId})`);
  return `Nodes that keep running without a controller (${names.length}): ${names.join(', ')}.`;
}

function identitySentence(identities: IdentityRemoval): string {
  switch (identities.outcome) {
    case 'removed':
      return '';
    case 'needed':
      return 'The role of the nodes, its access entry and the instance profiles stay.';
    case 'kept':
      return `The role ${identities.role} and its access entry stay: instance profiles contain it (${identities.profiles.join(', ')}).`;
    case 'failed':
      return `The role of the nodes and their instance profiles may remain (${identities.why}).`;
  }
}
