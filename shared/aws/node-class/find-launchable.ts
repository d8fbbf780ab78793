import { readEC2NodeClass } from '../../api/read-ec2-node-class.ts';
import { isReady } from '../../model/resolved-node-class.ts';
import { reservationsWithRoom, subnetsWithRoom, type Taken } from '../../ec2/node-class/free-capacity.ts';
import { withUserData } from '../../ec2/node-class/user-data/kubelet-reserves.ts';
import type { Clock } from '../../ports/ports.ts';
import type { NodeClasses, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { FindNodeClass } from './launchable-class.ts';
import type { TakenCounts } from '../dynamodb/launch-usage.ts';

export interface LaunchableParts {
  readonly nodeClasses: Pick<NodeClasses, 'find'>;
  readonly takenCounts: Pick<TakenCounts, 'list'>;
  readonly clock: Clock;
}

/**
 * Classes from their records: a launch never waits for what they stand for to be found out. What was
 * launched since then is taken off what EC2 counted.
 */
export const findLaunchable =
  ({ nodeClasses, takenCounts, clock }: LaunchableParts): FindNodeClass =>
  async (name) => {
    const [found, taken] = await Promise.all([
      nodeClasses.find(name),
      takenCounts.list(clock.now()),
    ]);
    if (!found || !isReady(found)) return undefined;
    const reading = readEC2NodeClass(name, found.written);
    if (reading.outcome !== 'read') return undefined;
    const resolved = withRoom(found, taken);
    return { resolved, nodeClass: withUserData(reading.value, found.written.spec.userData) };
  };

function withRoom(resolved: ResolvedNodeClass, taken: readonly Taken[]): ResolvedNodeClass {
  const { subnets, reservations, resolvedAt } = resolved;
  return {
    ...resolved,
    subnets: subnetsWithRoom(subnets, taken, resolvedAt),
    ...(reservations && {
      reservations: reservationsWithRoom(reservations, taken, resolvedAt),
    }),
  };
}
