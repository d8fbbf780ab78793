import type { TemplateUses } from '../../../shared/aws/dynamodb/template-uses.ts';

/** The uses of the table, in memory. */
export function simTemplateUses(): TemplateUses {
  const rows = new Map<string, number>();

  return {
    async until(name, now) {
      const until = rows.get(name) ?? 0;
      return until > now ? until : undefined;
    },
    list: async (now) => new Set([...rows].flatMap(([name, until]) => (until > now ? [name] : []))),
    async add(name, until) {
      rows.set(name, Math.max(until, rows.get(name) ?? 0));
    },
  };
}
