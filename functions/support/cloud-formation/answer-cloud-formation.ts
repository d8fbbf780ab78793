import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../telemetry.ts';
import type { CloudFormationRequest } from './cloud-formation-request.ts';

/** Values that the template reads with `Fn::GetAtt`. */
export type Attributes = Readonly<Record<string, string>>;

export interface Done {
  /** A sentence that CloudFormation shows in the stack's events. */
  readonly reason?: string;
  readonly attributes?: Attributes;
}

export interface AnswerPorts {
  readonly remainingMs: () => number;
  /** Resolves when CloudFormation has accepted the answer. */
  readonly put: (url: string, body: string) => Promise<void>;
}

/** Milliseconds before the function's own timeout at which the answer must be on its way. */
export const ANSWER_MS = 10_000;
/** CloudFormation accepts at most 4 KB for the whole answer. */
const MAX_REASON_LENGTH = 1_000;

/**
 * Runs the request and always answers CloudFormation in time: without an answer the stack waits for
 * an hour.
 *
 * @param physicalId - never changes: a new one would make CloudFormation delete the old resource
 *
 * A deletion always succeeds, so that a stack can be deleted after its cluster is gone.
 */
export async function answerCloudFormation(
  { remainingMs, put }: AnswerPorts,
  request: CloudFormationRequest,
  physicalId: string,
  work: () => Promise<Done>,
): Promise<void> {
  const outcome = await outcomeOf(work, remainingMs() - ANSWER_MS);
  const isFine = outcome.status === 'SUCCESS' || request.RequestType === 'Delete';
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = physicalId } = request;
  const { reason = '', attributes = {} } = outcome;

  logger[isFine ? 'info' : 'error']('answer to CloudFormation', {
    type: request.RequestType,
    reason,
  });
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

type SetupAnswer = Done & { readonly status: 'SUCCESS' | 'FAILED' };

async function outcomeOf(work: () => Promise<Done>, withinMs: number): Promise<SetupAnswer> {
  const late = new AbortController();
  const tooLate = async (): Promise<SetupAnswer> => {
    await sleep(Math.max(withinMs, 0), undefined, { signal: late.signal });
    return { status: 'FAILED', reason: `It was not done within ${Math.round(withinMs / 1000)} s.` };
  };
  try {
    return await Promise.race([done(work), tooLate()]);
  } finally {
    late.abort();
  }
}

async function done(work: () => Promise<Done>): Promise<SetupAnswer> {
  try {
    return { status: 'SUCCESS', ...(await work()) };
  } catch (error) {
    logger.error('request of CloudFormation failed', { error });
    return { status: 'FAILED', reason: sentence(error) };
  }
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
