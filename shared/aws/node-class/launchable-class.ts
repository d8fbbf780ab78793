import { readEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import {
  type CapacityUsage,
  subtractUsedAddresses,
  subtractUsedReservations,
} from '../../ec2/node-class/free-capacity.ts';
import { withUserDataReserves } from '../../ec2/node-class/user-data/kubelet-reserves.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import { isReady } from '../../model/nodes/resolved-node-class.ts';
import type { NodeClasses, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { Clock } from '../../ports/ports.ts';
import type { CapacityUsageStore } from '../dynamodb/capacity-usage.ts';

/** A node class that is ready for launches. */
export interface LaunchableClass {
  readonly resolved: ResolvedNodeClass;
  /** The parsed form of `resolved.written`, which instance types are computed from. */
  readonly nodeClass: EC2NodeClass;
}

/** Returns undefined if the class does not exist or is not ready. */
export type FindNodeClass = (name: string) => Promise<LaunchableClass | undefined>;

interface LaunchableFinderDependencies {
  readonly nodeClasses: Pick<NodeClasses, 'find'>;
  readonly capacityUsage: Pick<CapacityUsageStore, 'list'>;
  readonly clock: Clock;
}

/**
 * Finds classes by their stored resolution, so a launch never waits for discovery. Capacity used by
 * launches since the resolution is subtracted.
 */
export const createLaunchableFinder =
  ({ nodeClasses, capacityUsage, clock }: LaunchableFinderDependencies): FindNodeClass =>
  async (name) => {
    const [stored, usages] = await Promise.all([nodeClasses.find(name), capacityUsage.list(clock.now())]);
    if (!stored || !isReady(stored)) return undefined;
    const reading = readEC2NodeClass(name, stored.written);
    if (reading.outcome !== 'read') return undefined;
    const resolved = subtractUsage(stored, usages);
    return {
      resolved,
      nodeClass: withUserDataReserves(reading.value, stored.written.spec.userData),
    };
  };

function subtractUsage(resolved: ResolvedNodeClass, usages: readonly CapacityUsage[]): ResolvedNodeClass {
  const { subnets, reservations, resolvedAt } = resolved;
  return {
    ...resolved,
    subnets: subtractUsedAddresses(subnets, usages, resolvedAt),
    ...(reservations && {
      reservations: subtractUsedReservations(reservations, usages, resolvedAt),
    }),
  };
}
