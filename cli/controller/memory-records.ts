import type { TemplateUses } from '../../shared/aws/node-class/template-uses.ts';
import type { Records } from '../../shared/home/table-records.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { simCommands } from '../../shared/simulation/commands.ts';
import { simNodeClaims } from '../../shared/simulation/node-claims.ts';
import { simNominations } from '../../shared/simulation/nominations.ts';
import { simRecords } from '../../shared/simulation/records.ts';
import { simUnavailableOfferings } from '../../shared/simulation/unavailable-offerings.ts';

/**
 * Records for as long as the process lives: where there is no table, and for a look without
 * consequences. What runs is adopted from the cluster's own objects and the instances' tags.
 */
export const memoryRecords = (): Records => ({
  ...simRecords(),
  nodeClaims: simNodeClaims(),
  commands: simCommands(),
  nominations: simNominations(),
  unavailableOfferings: simUnavailableOfferings(),
  templateUses: memoryTemplateUses(),
});

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
