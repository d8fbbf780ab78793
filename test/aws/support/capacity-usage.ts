import type { CapacityUsageStore } from '../../../shared/aws/dynamodb/capacity-usage.ts';
import type { CapacityUsage } from '../../../shared/ec2/node-class/free-capacity.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';

/** The store of the table, in memory. */
export function simCapacityUsage(): CapacityUsageStore {
  const rows = new Map<string, CapacityUsage>();
  return {
    list: async (now) => [...rows.values()].filter(({ at }) => now - at < 5 * MINUTE_MS),
    async put(taken) {
      rows.set(taken.launch, taken);
    },
  };
}
