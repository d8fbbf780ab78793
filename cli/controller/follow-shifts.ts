import { type ArcCredentials, arcShiftSource } from '../../shared/aws/eks/arc-zonal-shifts.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { ShiftSource } from '../../shared/ports/cloud.ts';
import { type CliError, fail } from '../errors.ts';
import { choiceFor } from '../flags.ts';
import type { ServerFacts } from './server-facts.ts';

interface Environment {
  readonly ENABLE_ZONAL_SHIFT?: string | undefined;
}

/** @throws CliError - `bad-value` */
export const isToFollowShifts = (env: Environment): boolean =>
  choiceFor('ENABLE_ZONAL_SHIFT', ['true', 'false'])(env.ENABLE_ZONAL_SHIFT || 'false') === 'true';

interface Asking {
  readonly clock: Clock;
  readonly credentials: () => Promise<ArcCredentials>;
  /** Absent: that of the region. */
  readonly endpoint?: string;
}

/**
 * Whoever tells of the cluster's zonal shifts, once it has said that there may be any.
 *
 * @throws CliError - `bad-value`, ARC does not have the cluster
 */
export async function registeredShiftSource(
  { cluster, region, clusterArn }: ServerFacts,
  { clock, credentials, endpoint }: Asking,
): Promise<ShiftSource> {
  if (clusterArn === undefined) throw notRegistered(cluster);
  const place = { region, clusterArn, ...(endpoint !== undefined && { endpoint }) };
  const source = arcShiftSource(place, credentials);
  const { outcome } = await source.ask(clock.now());
  if (outcome === 'not-registered') throw notRegistered(cluster);
  return source;
}

const notRegistered = (cluster: string): CliError =>
  fail({
    code: 'bad-value',
    what: `cluster ${cluster} is not registered with ARC zonal shift`,
    where: 'ENABLE_ZONAL_SHIFT',
    fix: `aws eks update-cluster-config --name ${cluster} --zonal-shift-config enabled=true, or leave the variable out`,
  });
