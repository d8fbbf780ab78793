import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../support/telemetry.ts';
import type { CloudFormationRequest } from './parse-request.ts';

/** What the template can read with `Fn::GetAtt`. */
export type Attributes = Readonly<Record<string, string>>;

export interface Done {
  /** A sentence for who looks at the stack's events. */
  readonly reason?: string;
  readonly attributes?: Attributes;
}

export interface AnswerPorts {
  readonly remainingMs: () => number;
  /** Resolves when CloudFormation has taken the answer. */
  readonly put: (url: string, body: string) => Promise<void>;
}

/** The answer has to be under way before the function is ended. */
export const ANSWER_MS = 10_000;
/** CloudFormation takes 4 KB for the whole answer. */
const MAX_REASON_LENGTH = 1_000;
/** A new id would have CloudFormation delete the old one, which is the same cluster. */
const PHYSICAL_ID = 'cluster-setup';

/**
 * Does what CloudFormation asks and tells it how that went: in time and always, for it waits an hour
 * for an answer that does not come.
 *
 * A deletion always succeeds. Whoever takes the stack away must not be held up by a cluster that may
 * be gone as well.
 */
export async function answerCloudFormation(
  { remainingMs, put }: AnswerPorts,
  request: CloudFormationRequest,
  work: () => Promise<Done>,
): Promise<void> {
  const outcome = await outcomeOf(work, remainingMs() - ANSWER_MS);
  const isFine = outcome.status === 'SUCCESS' || request.RequestType === 'Delete';
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = PHYSICAL_ID } = request;
  const { reason = '', attributes = {} } = outcome;

  logger[isFine ? 'info' : 'error']('cluster set up', { type: request.RequestType, reason });
  const body = JSON.stringify({
    Status: isFine ? 'SUCCESS' : 'FAILED',
    Reason: reason.slice(0, MAX_REASON_LENGTH),
    StackId,
    RequestId,
    LogicalResourceId,
    PhysicalResourceId,
    Data: attributes,
  });
  await put(request.ResponseURL, body);
}

type Outcome = Done & { readonly status: 'SUCCESS' | 'FAILED' };

async function outcomeOf(work: () => Promise<Done>, withinMs: number): Promise<Outcome> {
  const late = new AbortController();
  const tooLate = async (): Promise<Outcome> => {
    await sleep(Math.max(withinMs, 0), undefined, { signal: late.signal });
    return { status: 'FAILED', reason: `It was not done within ${Math.round(withinMs / 1000)} s.` };
  };
  try {
    return await Promise.race([done(work), tooLate()]);
  } finally {
    late.abort();
  }
}

async function done(work: () => Promise<Done>): Promise<Outcome> {
  try {
    return { status: 'SUCCESS', ...(await work()) };
  } catch (error) {
    logger.error('cluster set-up failed', { error });
    return { status: 'FAILED', reason: sentence(error) };
  }
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
