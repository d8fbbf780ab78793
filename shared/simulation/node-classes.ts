import type { NodeClasses, ResolvedNodeClass } from '../ports/node-classes.ts';

export function simNodeClasses(): NodeClasses {
  const rows = new Map<string, ResolvedNodeClass>();

  return {
    find: async (name) => rows.get(name),
    list: async () => [...rows.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    async save(resolved) {
      const before = rows.get(resolved.name);
      if (!before || before.resolvedAt <= resolved.resolvedAt) rows.set(resolved.name, resolved);
    },
    async remove(name) {
      rows.delete(name);
    },
  };
}
