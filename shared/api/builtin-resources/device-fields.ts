import * as z from 'zod';
import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { NodeSelectorTerm } from '../../model/pods/pod.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { nodeAffinitySchema, readRequiredTerms } from './node-affinity.ts';

/** A quantity in its own unit: bytes, or the unit of the driver. */
export const deviceAmountSchema = z.union([z.string(), z.number()]).transform((written, ctx) => {
  const quantity = parseQuantity(written);
  if (quantity) return Number(quantity.nanos) / 1e9;
  ctx.addIssue({ code: 'custom', message: 'no quantity' });
  return z.NEVER;
});

/** CEL expressions of selectors. A selector of an unknown kind matches nothing. */
export const selectorsSchema = z
  .array(z.object({ cel: z.object({ expression: z.string() }).nullish() }))
  .nullish()
  .transform((selectors) => (selectors ?? []).map(({ cel }) => cel?.expression ?? 'false'));

/** The nodes that can use devices. */
export const nodeTermsSchema = nodeAffinitySchema.shape.requiredDuringSchedulingIgnoredDuringExecution.nullish();

export const readNodeTerms = (written: z.output<typeof nodeTermsSchema>): readonly NodeSelectorTerm[] =>
  readRequiredTerms(written ? { requiredDuringSchedulingIgnoredDuringExecution: written } : undefined).map((term) =>
    term.map(withNodeName),
  );

/** kube-scheduler selects a node by its name, which EKS also writes into the hostname label. */
const withNodeName = (condition: NodeSelectorTerm[number]): NodeSelectorTerm[number] =>
  condition.key === 'metadata.name' ? { ...condition, key: HOSTNAME_LABEL } : condition;
