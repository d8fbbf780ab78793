import * as z from 'zod/mini';
import { type ArcCredentials, arcShiftSource } from '../../shared/aws/eks/arc-zonal-shifts.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { type Environment, parseSettings } from './settings.ts';

const schema = z.object({
  AWS_REGION: z.string().check(z.minLength(1)),
  // Of who asks ARC, and only where the stack was told to.
  CLUSTER_ARN: z.optional(z.string().check(z.minLength(1))),
  // Of a local AWS, as SDKs name it.
  AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT: z.optional(z.url()),
  AWS_ENDPOINT_URL: z.optional(z.url()),
});

/**
 * Who is asked for zonal shifts; nobody, where the stack does not say of which cluster.
 *
 * @throws SettingsError - names every variable that is wrong
 */
export function shiftSourceFrom(
  environment: Environment,
  credentials: () => Promise<ArcCredentials>,
): Pick<Ports, 'shiftSource'> {
  const settings = parseSettings(schema, environment);
  const { AWS_REGION: region, CLUSTER_ARN: clusterArn } = settings;
  if (clusterArn === undefined) return {};
  const endpoint = settings.AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT ?? settings.AWS_ENDPOINT_URL;
  const place = { region, clusterArn, ...(endpoint !== undefined && { endpoint }) };
  return { shiftSource: arcShiftSource(place, credentials) };
}
