import { type ArcCredentials, arcShiftSource } from '../../shared/aws/arc-shift-source.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ShiftSource } from '../../shared/ports/zonal-shifts.ts';
import { fail } from '../errors.ts';
import { choiceFor } from '../flags.ts';
import type { ServerFacts } from './server-facts.ts';

interface Environment {
  readonly ENABLE_ZONAL_SHIFT?: string | undefined;
}

/** @throws CliError - `bad-value` */
export const isToFollowShifts = (env: Environment): boolean =>
  choiceFor('ENABLE_ZONAL_SHIFT', ['true', 'false'])(env.ENABLE_ZONAL_SHIFT || 'false') === 'true';

/**
 * Whoever tells of the cluster's zonal shifts, once it has said that there may be any.
 *
 * @throws CliError - `bad-value`, ARC does not have the cluster
 */
export async function registeredShiftSource(
  { cluster, region, clusterArn }: ServerFacts,
  {
    clock,
    credentials,
  }: { readonly clock: Clock; readonly credentials: () => Promise<ArcCredentials> },
): Promise<ShiftSource> {
  const source =
    clusterArn === undefined ? undefined : arcShiftSource({ region, clusterArn }, credentials);
  const answer = await source?.ask(clock.now());
  if (source && answer?.outcome !== 'not-registered') return source;
  throw fail({
    code: 'bad-value',
    what: `cluster ${cluster} is not registered with ARC zonal shift`,
    where: 'ENABLE_ZONAL_SHIFT',
    fix: `aws eks update-cluster-config --name ${cluster} --zonal-shift-config enabled=true, or leave the variable out`,
  });
}
