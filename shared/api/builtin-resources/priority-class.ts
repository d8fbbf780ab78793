import * as z from 'zod';
import { metadataSchema } from './metadata.ts';

export const priorityClassSchema = z.object({
  metadata: metadataSchema,
  value: z.int(),
  globalDefault: z.boolean().optional(),
});

export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
}

/** The resolved priority of a pod. */
export interface Priority {
  readonly value: number;
  readonly className?: string;
}

export const readPriorityClass = (
  name: string,
  { value, globalDefault = false }: z.output<typeof priorityClassSchema>,
): PriorityClass => ({ name, value, globalDefault });

/** Classes that exist in every cluster. */
const SYSTEM_CLASSES: readonly PriorityClass[] = [
  { name: 'system-cluster-critical', value: 2_000_000_000, globalDefault: false },
  { name: 'system-node-critical', value: 2_000_001_000, globalDefault: false },
];

/** Resolves the priority of a pod. Returns `undefined` if its PriorityClass does not exist. */
export function resolvePriority(
  { priorityClassName, priority = 0 }: { priorityClassName?: string | undefined; priority?: number | undefined },
  classes: readonly PriorityClass[],
): Priority | undefined {
  const all = [...SYSTEM_CLASSES, ...classes];
  if (priorityClassName) {
    const named = all.find(({ name }) => name === priorityClassName);
    return named && { value: named.value, className: named.name };
  }
  const byDefault = all.find(({ globalDefault }) => globalDefault);
  return byDefault ? { value: byDefault.value, className: byDefault.name } : { value: priority };
}
