import * as z from 'zod';
import { OS_LABEL } from '../../model/labels.ts';
import type { NodeSelectorTerm, Weighted } from '../../model/pods/pod.ts';
import { readRequirement } from '../stored-objects/requirement.ts';

const expressionsSchema = z
  .array(
    z.object({
      key: z.string(),
      operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
      values: z.array(z.string()).optional(),
    }),
  )
  .optional();

const termSchema = z.object({
  matchExpressions: expressionsSchema,
  matchFields: expressionsSchema,
});

export const nodeAffinitySchema = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z.object({ nodeSelectorTerms: z.array(termSchema) }).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.object({ weight: z.int().min(1).max(100), preference: termSchema }))
    .optional(),
});
type WrittenNodeAffinity = z.output<typeof nodeAffinitySchema>;

/**
 * A term without conditions selects no node. This one never holds, because every node has the OS
 * label.
 */
const NO_NODE: NodeSelectorTerm = [{ key: OS_LABEL, operator: 'DoesNotExist' }];

export const readRequiredTerms = ({
  requiredDuringSchedulingIgnoredDuringExecution: required,
}: WrittenNodeAffinity = {}): readonly NodeSelectorTerm[] => (required?.nodeSelectorTerms ?? []).map(readTerm);

export const readPreferredTerms = ({
  preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
}: WrittenNodeAffinity = {}): readonly Weighted<NodeSelectorTerm>[] =>
  preferred.map(({ weight, preference }) => ({ weight, term: readTerm(preference) }));

/** matchFields become conditions on a label of that name, which no node that we launch has. */
function readTerm({ matchExpressions = [], matchFields = [] }: z.output<typeof termSchema>): NodeSelectorTerm {
  const conditions = [...matchExpressions, ...matchFields].map(readRequirement);
  return conditions.length > 0 ? conditions : NO_NODE;
}
