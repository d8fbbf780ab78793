import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import {
  removeCluster,
  repairSetup,
  type SetupOptions,
  type SetupPorts,
  setUpCluster,
} from '../../shared/controllers/webhooks/cluster-setup.ts';
import type { IdentityRemoval, RemovalReport, UnmanagedDefinition } from '../../shared/ports/cluster-setup.ts';
import { answerCloudFormation, type Done } from '../support/cloud-formation/answer-cloud-formation.ts';
import {
  type CloudFormationRequest,
  readCloudFormationRequest,
} from '../support/cloud-formation/cloud-formation-request.ts';
import { putAnswer } from '../support/cloud-formation/put-answer.ts';
import { logger } from '../support/telemetry.ts';
import { setupFrom } from './ports.ts';

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

const repairSchema = z.object({ action: z.literal('repair') });

type SetupRequest =
  | { readonly from: 'cloudformation'; readonly request: CloudFormationRequest }
  | { readonly from: 'schedule' };

/**
 * @param stackId - of our own stack; events of another stack are refused
 * @throws ZodError - an unknown request; the error names the fields, not their content
 * @throws ForeignStackError
 */
export function parseRequest(event: unknown, stackId: string | undefined): SetupRequest {
  const request = readCloudFormationRequest(event, stackId);
  if (request) return { from: 'cloudformation', request };
  repairSchema.parse(event);
  return { from: 'schedule' };
}

async function onRequest(event: unknown, context: Context): Promise<void> {
  const setupRequest = parseRequest(event, process.env.STACK_ID);
  if (setupRequest.from === 'schedule') {
    const { ports, options } = setupFrom(process.env);
    return repairSetup(ports, options);
  }

  const { request } = setupRequest;
  const ports = { remainingMs: () => context.getRemainingTimeInMillis(), put: putAnswer };
  await answerCloudFormation(ports, request, 'cluster-setup', async () => {
    // Read per request, not at start-up, so that the answer to CloudFormation names a missing setting.
    const { ports, options } = setupFrom(process.env);
    return runRequest(ports, options, request);
  });
}

export const handler = middy<unknown, void>().use(injectLambdaContext(logger)).handler(onRequest);
