import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { SQSClient } from '@aws-sdk/client-sqs';
import { eksAdministratorAccess } from '../../shared/aws/eks/administrator-access.ts';
import { readClusterNetwork } from '../../shared/aws/eks/cluster-network.ts';
import { awsNodeIdentities } from '../../shared/aws/node-class/node-identities.ts';
import { sdkMessageSender } from '../../shared/aws/queues/send-message.ts';
import type { SetupOptions, SetupPorts } from '../../shared/controllers/webhooks/cluster-setup.ts';
import { RELEASE } from '../../shared/kubernetes/setup/crd-ownership.ts';
import type { TopicsOf } from '../../shared/ports/hint-senders.ts';
import type { HintOf } from '../../shared/ports/work-queue.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS, UNREACHABLE_TIMEOUTS } from '../support/client-timeouts.ts';
import { hookPortsFrom } from '../support/hook-ports.ts';
import type { Environment } from '../support/settings.ts';
import { shiftSourceFrom } from '../support/shift-source.ts';
import { readSetupSettings } from './settings.ts';

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
