import { EC2Client } from '@aws-sdk/client-ec2';
import { s3PriceRecordStore } from '../../shared/aws/ec2/prices/s3-price-record-store.ts';
import { createCloud } from '../../shared/composition/cloud.ts';
import { instrumentPorts } from '../../shared/controllers/metrics/instrument-ports.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Deciders } from '../../shared/record/redact-decision.ts';
import { LAUNCH_TIMEOUTS } from './client-timeouts.ts';
import { type ClusterScope, cloudlessPortsFrom } from './cloudless-ports.ts';
import { withLoggedCalls } from './logged-calls.ts';
import { metrics } from './metrics.ts';
import type { Environment } from './settings.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Wires the adapters to the ports, once per cold start.
 *
 * @param deciders - the decisions that the function makes, to record them without names
 * @throws SettingsError - a variable is missing or wrong
 */
export function portsFrom(environment: Environment, scope: ClusterScope = 'cluster', deciders: Deciders = {}): Ports {
  const { ports, settings, decisions, s3, cloudParts } = cloudlessPortsFrom(environment, scope, deciders);
  const ec2 = new EC2Client(LAUNCH_TIMEOUTS);
  const cloud = createCloud(
    { ...cloudParts, ec2, priceRecords: s3PriceRecordStore(s3, settings.bucket) },
    settings,
    decisions,
  );
  const { timeLeft } = timeLimit;
  return instrumentPorts({ ...ports, ...withLoggedCalls({ cloud }), timeLeft }, metrics);
}
