import type { CapacityUsageStore } from '../../shared/aws/dynamodb/capacity-usage.ts';
import type { TemplateUses } from '../../shared/aws/dynamodb/template-uses.ts';
import type { TableRecords } from '../../shared/composition/records.ts';
import type { CapacityUsage } from '../../shared/ec2/node-class/free-capacity.ts';
import { memoryUnavailableOfferings, memoryZonalShifts } from '../../shared/memory/capacity-records.ts';
import { memoryCommands } from '../../shared/memory/disruption-records.ts';
import { memoryNodeClaims, memoryNominations } from '../../shared/memory/node-claims.ts';
import { memoryControllerRecords } from '../../shared/memory/records.ts';
import { type EpochMs, MINUTE_MS } from '../../shared/model/time.ts';

/**
 * Records in memory, for clusters without a stack and for dry runs. Running instances are adopted
 * from NodeClaims and instance tags.
 */
export const memoryRecords = (): TableRecords => ({
  ...memoryControllerRecords(),
  nodeClaims: memoryNodeClaims(),
  commands: memoryCommands(),
  nominations: memoryNominations(),
  unavailableOfferings: memoryUnavailableOfferings(),
  templateUses: memoryTemplateUses(),
  capacityUsage: memoryCapacityUsage(),
  zonalShifts: memoryZonalShifts(),
  // Without a table there is only one caller, and EC2 throttles it directly.
  callBudget: { take: async () => 0, empty: async () => {} },
});

function memoryCapacityUsage(): CapacityUsageStore {
  const rows = new Map<string, CapacityUsage>();
  return {
    list: async (now) => [...rows.values()].filter(({ at }) => now - at < COUNT_VALID_MS),
    async put(taken) {
      rows.set(taken.launch, taken);
    },
  };
}

/** By then EC2 reports the launch itself. */
const COUNT_VALID_MS = 5 * MINUTE_MS;

function memoryTemplateUses(): TemplateUses {
  const ends = new Map<string, EpochMs>();
  return {
    async until(name, now) {
      const end = ends.get(name) ?? 0;
      return end > now ? end : undefined;
    },
    list: async (now) => new Set([...ends].filter(([, end]) => end > now).map(([name]) => name)),
    async add(name, until) {
      ends.set(name, Math.max(until, ends.get(name) ?? until));
    },
  };
}
