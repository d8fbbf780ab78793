import { arcShiftSource } from '../../shared/aws/eks/arc-zonal-shifts.ts';
import type { AwsCredentials } from '../../shared/aws/signed-request.ts';
import type { ShiftSource } from '../../shared/ports/cloud.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { ClusterEndpoint } from '../cluster/find-cluster.ts';
import { type CliError, fail } from '../errors.ts';

interface ArcAccess {
  readonly clock: Clock;
  readonly credentials: () => Promise<AwsCredentials>;
  /** `undefined` for the region's endpoint. */
  readonly endpoint?: string;
}

/**
 * Opens the source of the cluster's zonal shifts, after checking that ARC knows the cluster.
 *
 * @throws CliError - `bad-value`, the cluster is not registered with ARC; `forbidden`, the role may not
 *   ask ARC
 */
export async function openShiftSource(
  { cluster, region, clusterArn }: ClusterEndpoint,
  { clock, credentials, endpoint }: ArcAccess,
): Promise<ShiftSource> {
  if (clusterArn === undefined) throw toNotRegisteredError(cluster);
  const target = { region, clusterArn, ...(endpoint !== undefined && { endpoint }) };
  const source = arcShiftSource(target, credentials);
  const answer = await source.findShifts(clock.now());
  if (answer.outcome === 'not-registered') throw toNotRegisteredError(cluster);
  // Any other failure may pass, and must not keep the controller from starting.
  if (answer.outcome === 'unknown' && answer.isDenied) throw toDeniedError(answer.why);
  return source;
}

const toDeniedError = (why: string): CliError =>
  fail({
    ...{ code: 'forbidden', what: 'AWS does not allow it', where: 'ENABLE_ZONAL_SHIFT', why },
    fix: 'allow arc-zonal-shift:GetManagedResource: ENABLE_ZONAL_SHIFT=true mortise controller --print-setup iam',
  });

const toNotRegisteredError = (cluster: string): CliError =>
  fail({
    code: 'bad-value',
    what: `cluster ${cluster} is not registered with ARC zonal shift`,
    where: 'ENABLE_ZONAL_SHIFT',
    fix: `aws eks update-cluster-config --name ${cluster} --zonal-shift-config enabled=true, or leave the variable out`,
  });
