import * as z from 'zod';

const causeSchema = z.object({ reason: z.string().default(''), message: z.string().default('') });

const statusSchema = z.object({
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  details: z.object({ causes: z.array(causeSchema).optional() }).optional(),
});

/** What the API server says when it refuses. */
export interface ApiStatus {
  readonly code?: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
}

/** Never fails: whatever is not a Status says nothing. */
export function readStatus(body: unknown): ApiStatus {
  const parsed = statusSchema.safeParse(body);
  const { code, reason = '', message = '', details } = parsed.success ? parsed.data : {};
  return {
    ...(code === undefined ? {} : { code }),
    reason,
    message,
    causes: details?.causes ?? [],
  };
}

/** Refused by a PodDisruptionBudget, not by a server that is busy: both come as 429. */
export const budgetCause = ({ causes }: ApiStatus): string | undefined =>
  causes.find(({ reason }) => reason === 'DisruptionBudget')?.message;

/** Nothing new is let into a namespace that goes, evictions included: its pods go anyway. */
export const isNamespaceTerminating = ({ causes }: ApiStatus): boolean =>
  causes.some(({ reason }) => reason === 'NamespaceTerminating');
