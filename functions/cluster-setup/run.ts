import {
  disableHooks,
  removeCluster,
  repairSetup,
  restoreHooks,
  rotateToken,
  type SetupOptions,
  type SetupPorts,
  setUpCluster,
} from '../../shared/controllers/webhooks/cluster-setup.ts';
import type { RemovalReport, UnmanagedDefinition } from '../../shared/ports/cluster-setup.ts';
import { logger } from '../support/telemetry.ts';
import type { Done } from './answer-cloud-formation.ts';
import type { CloudFormationRequest, SetupCommand } from './parse-request.ts';

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

export function runCommand(
  ports: SetupPorts,
  options: SetupOptions,
  command: SetupCommand,
): Promise<void> {
  logger.info('hooks', { ...command });
  switch (command.action) {
    case 'keep':
      return repairSetup(ports, options);
    case 'withdraw-hooks':
      return disableHooks(ports, command);
    case 'restore-hooks':
      return restoreHooks(ports);
    case 'rotate-token':
      return rotateToken(ports);
  }
}

const leftPhrase = ({ name, keeper, isUsable }: UnmanagedDefinition): string =>
  `${name} is kept by ${keeper}${isUsable ? '' : ' and does not serve v1'}`;

/** Long lists go to the log, which outlives the stack. */
function sentenceOf({ orphans, why, isHandedOver, runningNodes }: RemovalReport): string {
  if (orphans.length > 0) {
    return `The cluster could not be cleaned up (${why}). Still there may be: ${orphans.join(', ')}.`;
  }
  if (isHandedOver) return 'Karpenter has the cluster: its nodes were left to it as they are.';
  if (!runningNodes || runningNodes.length === 0) return 'Nothing of ours runs on.';
  logger.warn('nodes run on', { nodes: runningNodes });
  const names = runningNodes.map(({ name, providerId }) => `${name} (${providerId})`);
  return `Nodes that run on, looked after by nobody (${names.length}): ${names.join(', ')}`;
}
