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

/** Joins chunks and splits them into lines. An incomplete last line is dropped. */
export async function* splitLines(text: AsyncIterable<string>): AsyncIterable<string> {
  let incompleteLine = '';
  for await (const part of text) {
    const lines = `${incompleteLine}${part}`.split('\n');
    incompleteLine = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}

/**
 * @throws ApiMalformedAnswerError - a success that is not JSON; refusals may be plain text
 */
export function parseBody(action: ApiAction, status: number, text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch (cause) {
    if (status >= 300) return undefined;
    throw new ApiMalformedAnswerError(action, { why: 'no JSON', cause });
  }
}

/** The error for a response that is not a success. */
export function toApiError(action: ApiAction, { status, body }: { status: number; body: unknown }): Error {
  const { reason, message } = readStatus(body);
  if (isMissingRight({ status, body })) return new ApiForbiddenError(action, message);
  if (status === 410) return new ApiExpiredError(action);
  // For a missing object the API server answers with a Status, for a missing path with plain text.
  if (status === 404 && reason !== 'NotFound') return new KindNotServedError(action);
  if (status >= 500) return new ApiUnreachableError(action, { why: `${status} ${message}`.trim() });
  return new ApiRefusedError(action, status, message);
}

/** The text of the authorizer, and of RBAC for a role that grants more than its writer has. */
const MISSING_RIGHT = /\bUser ".*" cannot |\bis attempting to grant RBAC permissions not currently held/;

/**
 * True if the caller lacks a right. Admission, quotas, the eviction API and namespaces that are being
 * deleted answer 403 as well: those refusals concern one object.
 *
 * @see kubernetes, apiserver, endpoints/handlers/responsewriters: `forbiddenMessage`
 */
export const isMissingRight = ({ status, body }: { status: number; body: unknown }): boolean =>
  status === 403 && MISSING_RIGHT.test(readStatus(body).message);

const causeSchema = z.object({ reason: z.string().default(''), message: z.string().default('') });

const statusSchema = z.object({
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  details: z
    .object({
      kind: z.string().optional(),
      name: z.string().optional(),
      causes: z.array(causeSchema).optional(),
    })
    .optional(),
});

/** The Status object of a refusal. */
interface ApiStatus {
  readonly code?: number;
  readonly reason: string;
  readonly message: string;
  /** The object that the refusal names. */
  readonly object?: { readonly kind: string; readonly name: string };
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
}

/** Never throws; a body that is not a Status reads as empty. */
export function readStatus(body: unknown): ApiStatus {
  const parsed = statusSchema.safeParse(body);
  const { code, reason = '', message = '', details } = parsed.success ? parsed.data : {};
  const { kind, name } = details ?? {};
  return {
    ...(code !== undefined && { code }),
    ...(kind !== undefined && name !== undefined && { object: { kind, name } }),
    reason,
    message,
    causes: details?.causes ?? [],
  };
}

/**
 * The message of the PodDisruptionBudget that refused an eviction; `undefined` if the server is
 * throttling. Both come as 429.
 */
export const findBudgetCause = ({ causes }: ApiStatus): string | undefined =>
  causes.find(({ reason }) => reason === 'DisruptionBudget')?.message;

/**
 * True if the namespace is being deleted. It accepts no new objects, evictions included; its pods
 * are deleted anyway.
 */
export const isNamespaceTerminating = ({ causes }: ApiStatus): boolean =>
  causes.some(({ reason }) => reason === 'NamespaceTerminating');
