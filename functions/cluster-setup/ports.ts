import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { eksAdministratorAccess } from '../../shared/aws/eks/administrator-access.ts';
import { readClusterNetwork } from '../../shared/aws/eks/cluster-network.ts';
import { awsNodeIdentities } from '../../shared/aws/node-class/node-identities.ts';
import { sdkMessageSender } from '../../shared/aws/queues/send-message.ts';
import type { SetupOptions, SetupPorts } from '../../shared/controllers/webhooks/cluster-setup.ts';
import { RELEASE } from '../../shared/kubernetes/setup/crd-ownership.ts';
import type { EventSource } from '../../shared/ports/cluster-setup.ts';
import type { TopicsOf } from '../../shared/ports/hint-senders.ts';
import type { HintOf } from '../../shared/ports/work-queue.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS, UNREACHABLE_TIMEOUTS } from '../support/client-timeouts.ts';
import { hookPortsFrom } from '../support/hook-ports.ts';
import { type HookSettings, readHookSettings } from '../support/hook-settings.ts';
import { type Environment, parseSettings, TEXT } from '../support/settings.ts';
import { shiftSourceFrom } from '../support/shift-source.ts';

const schema = z.object({
  ROLE_ARN: TEXT,
  SWEEP_QUEUE: z.url(),
  EVENT_SOURCE: z.enum(['auto', 'hook', 'poll', 'controller']),
  EVENT_SOURCE_REASON: z.optional(z.string()),
  // `ask` reads the network settings from EKS; `unknown` means that the cluster is not managed by
  // EKS.
  CLUSTER_NETWORK: z.enum(['ask', 'unknown']),
  FUNCTIONS_IN_VPC: z.enum(['yes', 'no']),
  HOOKS_IN_VPC: z.enum(['yes', 'no']),
  // The stack's own node role, if it has one.
  NODE_ROLE_ARN: z.optional(TEXT),
});

interface SetupSettings extends HookSettings {
  /** The function's own role, which a deployment makes an administrator of the cluster. */
  readonly roleArn: string;
  readonly sweepQueue: string;
  readonly eventSource: EventSource | 'auto';
  /** Why the stack chose it; undefined if the options did. */
  readonly eventSourceReason?: string;
  readonly knowsNetwork: boolean;
  readonly isInVpc: boolean;
  readonly isHookPrivate: boolean;
  /** The stack's own node role; undefined if the options name roles. */
  readonly nodeRoleArn?: string;
}

/** @throws SettingsError - names the variables that are missing or wrong */
export function readSetupSettings(environment: Environment): SetupSettings {
  const settings = parseSettings(schema, environment);
  return {
    ...readHookSettings(environment),
    roleArn: settings.ROLE_ARN,
    sweepQueue: settings.SWEEP_QUEUE,
    eventSource: settings.EVENT_SOURCE,
    ...(settings.EVENT_SOURCE_REASON !== undefined && {
      eventSourceReason: settings.EVENT_SOURCE_REASON,
    }),
    knowsNetwork: settings.CLUSTER_NETWORK === 'ask',
    isInVpc: settings.FUNCTIONS_IN_VPC === 'yes',
    isHookPrivate: settings.HOOKS_IN_VPC === 'yes',
    ...(settings.NODE_ROLE_ARN !== undefined && { nodeRoleArn: settings.NODE_ROLE_ARN }),
  };
}

const SWEEP: HintOf<TopicsOf<'clusterSetup'>> = { topic: 'sweep' };

/** @throws SettingsError - names every variable that is missing or wrong */
export function setupFrom(environment: Environment): {
  readonly ports: SetupPorts;
  readonly options: SetupOptions;
} {
  const settings = readSetupSettings(environment);
  const { cluster, roleArn: principalArn, knowsNetwork } = settings;
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const eks = new EKSClient(DEFAULT_TIMEOUTS);
  const hookPorts = hookPortsFrom(settings, dynamo);

  return {
    ports: {
      ...hookPorts,
      administrator: eksAdministratorAccess(eks, { cluster, principalArn }, hookPorts),
      nodeIdentities: awsNodeIdentities(
        {
          ec2: new EC2Client(DEFAULT_TIMEOUTS),
          iam: new IAMClient(UNREACHABLE_TIMEOUTS),
          eks,
          ...hookPorts,
        },
        { ...settings, ...(settings.nodeRoleArn && { roleArn: settings.nodeRoleArn }) },
      ),
      requestSweep: () =>
        sdkMessageSender(new SQSClient(SHORT_TIMEOUTS))({
          QueueUrl: settings.sweepQueue,
          MessageBody: JSON.stringify(SWEEP),
        }),
      ...shiftSourceFrom(environment, dynamo.config.credentials),
      network: async () => (knowsNetwork ? readClusterNetwork(eks, cluster) : undefined),
    },
    options: {
      release: RELEASE,
      requestedSource: settings.eventSource,
      ...(settings.eventSourceReason !== undefined && { reason: settings.eventSourceReason }),
      isInVpc: settings.isInVpc,
      isHookPrivate: settings.isHookPrivate,
    },
  };
}
