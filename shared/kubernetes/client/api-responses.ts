import * as z from 'zod';
import {
  type ApiAction,
  ApiExpiredError,
  ApiForbiddenError,
  ApiMalformedAnswerError,
  ApiRefusedError,
  ApiUnreachableError,
  KindNotServedError,
} from './api-errors.ts';

export async function readAllText(text: AsyncIterable<string>): Promise<string> {
  let allText = '';
  for await (const part of text) allText += part;
  return allText;
}

/** Whole lines, however the network cut them; what follows the last line break is a torn one. */
export async function* splitLines(text: AsyncIterable<string>): AsyncIterable<string> {
  let incompleteLine = '';
  for await (const part of text) {
    const lines = `${incompleteLine}${part}`.split('\n');
    incompleteLine = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}

/** @throws ApiMalformedAnswerError - a success that is no JSON; refusals may come as plain text */
export function parseBody(action: ApiAction, status: number, text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch (cause) {
    if (status >= 300) return undefined;
    throw new ApiMalformedAnswerError(action, { why: 'no JSON', cause });
  }
}

/** The error that an answer without success comes to. */
export function toApiError(
  action: ApiAction,
  { status, body }: { status: number; body: unknown },
): Error {
  const { reason, message } = readStatus(body);
  if (status === 403) return new ApiForbiddenError(action, message);
  if (status === 410) return new ApiExpiredError(action);
  // An object that is not there is told by a Status, a path that is not there by a plain text.
  if (status === 404 && reason !== 'NotFound') return new KindNotServedError(action);
  if (status >= 500) return new ApiUnreachableError(action, { why: `${status} ${message}`.trim() });
  return new ApiRefusedError(action, status, message);
}

const causeSchema = z.object({ reason: z.string().default(''), message: z.string().default('') });

const statusSchema = z.object({
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  details: z.object({ causes: z.array(causeSchema).optional() }).optional(),
});

/** What the API server says when it refuses. */
interface ApiStatus {
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
export const findBudgetCause = ({ causes }: ApiStatus): string | undefined =>
  causes.find(({ reason }) => reason === 'DisruptionBudget')?.message;

/** Nothing new is let into a namespace that goes, evictions included: its pods go anyway. */
export const isNamespaceTerminating = ({ causes }: ApiStatus): boolean =>
  causes.some(({ reason }) => reason === 'NamespaceTerminating');
