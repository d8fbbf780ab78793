import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EKSClient } from '@aws-sdk/client-eks';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { dynamoInstallations } from '../../shared/aws/dynamodb/installations.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { readClusterNetwork } from '../../shared/aws/eks/cluster-network.ts';
import { lambdaHookIntake } from '../../shared/aws/hooks/lambda-hook-intake.ts';
import { secretHookTokens } from '../../shared/aws/hooks/secret-hook-tokens.ts';
import { sdkMessageSender } from '../../shared/aws/queues/send-message.ts';
import { createEksApi } from '../../shared/composition/eks-api.ts';
import type { SetupOptions, SetupPorts } from '../../shared/controllers/webhooks/cluster-setup.ts';
import { amazonRoots } from '../../shared/kubernetes/setup/amazon-roots.ts';
import { RELEASE } from '../../shared/kubernetes/setup/crd-ownership.ts';
import { digestPath, hookPath } from '../../shared/kubernetes/setup/hook-url.ts';
import { kubernetesSetup } from '../../shared/kubernetes/setup/kubernetes-setup.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS } from '../support/client-timeouts.ts';
import type { Environment } from '../support/settings.ts';
import { shiftSourceFrom } from '../support/shift-source.ts';
import { systemClock } from '../support/system-clock.ts';
import { readSetupSettings } from './settings.ts';

const SWEEP: Hint = { topic: 'sweep' };

/** @throws SettingsError - names every variable that is missing or wrong */
export function setupFrom(environment: Environment): {
  readonly ports: SetupPorts;
  readonly options: SetupOptions;
} {
  const settings = readSetupSettings(environment);
  const { cluster, knowsNetwork, hookAuthorities = amazonRoots() } = settings;
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const clock = systemClock;
  const api = createEksApi(settings, { clock, client: dynamo });

  return {
    ports: {
      clock,
      sleep,
      setup: kubernetesSetup(
        { api, clock, sleep },
        { ...settings, crds: CRDS, certificateAuthorities: hookAuthorities },
      ),
      tokens: secretHookTokens(new SecretsManagerClient(DEFAULT_TIMEOUTS), settings.tokenSecret),
      intake: lambdaHookIntake(new LambdaClient(DEFAULT_TIMEOUTS), {
        name: settings.intakeFunction,
        digestOf: (token) => digestPath(hookPath(cluster, token)),
      }),
      installations: dynamoInstallations(dynamoTable(dynamo, settings)),
      requestSweep: () =>
        sdkMessageSender(new SQSClient(SHORT_TIMEOUTS))({
          QueueUrl: settings.sweepQueue,
          MessageBody: JSON.stringify(SWEEP),
        }),
      ...shiftSourceFrom(environment, dynamo.config.credentials),
      network: async () =>
        knowsNetwork ? readClusterNetwork(new EKSClient(DEFAULT_TIMEOUTS), cluster) : undefined,
    },
    options: {
      release: RELEASE,
      requestedSource: settings.eventSource,
      isInVpc: settings.isInVpc,
      isHookPrivate: settings.isHookPrivate,
    },
  };
}
