import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { classPorts } from '../../shared/composition/node-class-ports.ts';
import { eksApi } from '../../shared/composition/eks-api.ts';
import { tableRecords } from '../../shared/composition/records.ts';
import type { ClassPorts } from '../../shared/ports/ports.ts';
import { readDecisions } from '../support/decisions.ts';
import { LAUNCH_TIMEOUTS, SHORT_TIMEOUTS, DEFAULT_TIMEOUTS } from '../support/patience.ts';
import { type Environment, readWorkerSettings } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';

/**
 * What only the function for classes needs: its clients would make every other one slower to start.
 *
 * @throws SettingsError - the deployment forgot something: it shows at the first message
 */
export function classPortsFrom(environment: Environment): ClassPorts {
  const settings = readWorkerSettings(environment);
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);

  return classPorts(
    {
      ...tableRecords(dynamoTable(dynamo, settings)),
      clock: systemClock,
      api: eksApi(settings, { clock: systemClock, client: dynamo }),
      ec2: new EC2Client(LAUNCH_TIMEOUTS),
      eks: new EKSClient(DEFAULT_TIMEOUTS),
      iam: new IAMClient(DEFAULT_TIMEOUTS),
      ssm: new SSMClient(DEFAULT_TIMEOUTS),
    },
    settings,
    readDecisions(environment),
  );
}
