import * as z from 'zod/mini';
import { arcShiftSource } from '../../shared/aws/eks/arc-zonal-shifts.ts';
import type { AwsCredentials } from '../../shared/aws/signed-request.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { type Environment, parseSettings, TEXT } from './settings.ts';

const schema = z.object({
  AWS_REGION: TEXT,
  // Set only for functions that query ARC, if the stack option is on.
  CLUSTER_ARN: z.optional(TEXT),
  // Endpoint of a local AWS, named as the SDKs name it.
  AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT: z.optional(z.url()),
  AWS_ENDPOINT_URL: z.optional(z.url()),
});

/**
 * Creates the source of zonal shifts. Returns no source if the stack does not name the cluster's
 * ARN.
 *
 * @throws SettingsError - names every variable that is wrong
 */
export function shiftSourceFrom(
  environment: Environment,
  credentials: () => Promise<AwsCredentials>,
): Pick<Ports, 'shiftSource'> {
  const settings = parseSettings(schema, environment);
  const { AWS_REGION: region, CLUSTER_ARN: clusterArn } = settings;
  if (clusterArn === undefined) return {};
  const endpoint = settings.AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT ?? settings.AWS_ENDPOINT_URL;
  const target = { region, clusterArn, ...(endpoint !== undefined && { endpoint }) };
  return { shiftSource: arcShiftSource(target, credentials) };
}
