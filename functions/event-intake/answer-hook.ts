import type { LambdaFunctionURLResult } from 'aws-lambda';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { WorkQueue } from '../../shared/ports/work-queue.ts';
import { logger } from '../support/telemetry.ts';
import { bodyBytes, decodeBody, type HookCall } from './hook-call.ts';
import type { HookTokenVerifier } from './hook-token-verifier.ts';
import { parseReview, type Review } from './parse-review.ts';
import { type IntakeHint, toHints } from './to-hints.ts';

/** It sends nothing for later that would travel through the queue of the sweep. */
type IntakeQueue = WorkQueue<IntakeHint['topic']>;

export interface IntakePorts {
  readonly queue: IntakeQueue;
  readonly mayEnter: HookTokenVerifier;
}

/** A hook runs before its object is stored. */
const STORED_AFTER_MS = SECOND_MS;

/** etcd stores no larger object. A larger review is not parsed; the API server ignores the refusal. */
const MAX_BODY_BYTES = 1_500_000;

/**
 * Turns a call of the API server into hints. A call with a valid token is always allowed, also when
 * this function fails: the webhook must never block the API server. The body is neither decoded nor
 * parsed before the token is checked.
 */
export async function answerHook(
  { queue, mayEnter }: IntakePorts,
  { path, body, at }: HookCall,
): Promise<LambdaFunctionURLResult> {
  // Not logged: the path of a failed attempt may be almost the token.
  if (!mayEnter(path)) return { statusCode: 403 };

  const bytes = bodyBytes(body);
  if (bytes > MAX_BODY_BYTES) {
    logger.warn('call too large', { bytes });
    return { statusCode: 413 };
  }
  const review = parseReview(decodeBody(body));
  if (!review) logger.warn('call ignored', { bytes });
  else if (!review.dryRun) await sendHints(queue, review, at);
  return allow(review?.uid ?? '');
}

async function sendHints(queue: IntakeQueue, review: Review, at: EpochMs): Promise<void> {
  const sending = toHints(review, at).map((hint) => sendHint(queue, hint, at));
  for (const sent of await Promise.allSettled(sending)) {
    // The sweep finds what this hint announced.
    if (sent.status === 'rejected') logger.error('hint lost', { error: String(sent.reason) });
  }
}

/**
 * The `plan` and `disrupt` queues wait by themselves; a hint for one claim is delivered once its
 * object is stored.
 */
const sendHint = (queue: IntakeQueue, hint: IntakeHint, at: EpochMs): Promise<void> =>
  hint.topic === 'plan' || hint.topic === 'disrupt' ? queue.send(hint) : queue.send(hint, at + STORED_AFTER_MS);

const allow = (uid: string): LambdaFunctionURLResult => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true },
  }),
});
