import type { LambdaFunctionURLResult } from 'aws-lambda';
import * as z from 'zod/mini';
import { parseJson } from '../../shared/aws/parse-json.ts';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { TopicsOf } from '../../shared/ports/hint-senders.ts';
import type { HintOf, WorkQueue } from '../../shared/ports/work-queue.ts';
import { logger } from '../support/telemetry.ts';
import { bodyBytes, decodeBody, type HookCall } from './hook-call.ts';
import type { HookTokenVerifier } from './hook-token-verifier.ts';

const maybeNode = z.nullish(z.object({ spec: z.optional(z.object({ providerID: z.optional(z.string()) })) }));

const reviewSchema = z.object({
  request: z.object({
    uid: z.string(),
    dryRun: z.optional(z.boolean()),
    name: z.optional(z.string()),
    resource: z.object({ group: z.string(), resource: z.string() }),
    object: maybeNode,
    oldObject: maybeNode,
  }),
});

/** The fields that we read from the AdmissionReview. Untrusted input. */
interface Review {
  readonly uid: string;
  readonly dryRun: boolean;
  /** Plural and group, as in `nodepools.karpenter.sh`; the plural alone for the core group. */
  readonly resource: string;
  readonly name: string;
  /** Set for a Node. */
  readonly providerId?: string;
}

/** Parses an AdmissionReview. Returns undefined if the body is not one. */
function parseReview(body: string): Review | undefined {
  const { data } = z.safeParse(reviewSchema, parseJson(body));
  if (!data) return undefined;

  const { uid, dryRun = false, name = '', resource, object, oldObject } = data.request;
  const providerId = object?.spec?.providerID ?? oldObject?.spec?.providerID;
  return {
    uid,
    dryRun,
    name,
    resource: [resource.resource, resource.group].filter((part) => part !== '').join('.'),
    ...(providerId !== undefined && { providerId }),
  };
}

/** Changes of Nodes are notices in the queue of claims. */
type IntakeHint = HintOf<TopicsOf<'eventIntake'> | 'interruption'>;

/**
 * Names the objects that a call is about. The webhooks' CEL conditions have already dropped
 * irrelevant calls.
 */
function toHints({ resource, name, providerId }: Review, at: EpochMs): readonly IntakeHint[] {
  switch (resource) {
    // kube-scheduler reported FailedScheduling for a pod.
    case 'events.events.k8s.io':
      return [{ topic: 'plan' }];
    case 'nodes':
      return isLikely(providerId) ? [nodeChanged(providerId, at)] : [];
    case 'nodeclaims.karpenter.sh':
      return isLikely(name) ? [{ topic: 'claim', claim: name }] : [];
    case 'nodepools.karpenter.sh':
    case 'nodeoverlays.karpenter.sh':
    case 'capacitybuffers.autoscaling.x-k8s.io':
      return [{ topic: 'plan' }, { topic: 'disrupt' }];
    case 'ec2nodeclasses.karpenter.k8s.aws':
      return [{ topic: 'class' }, { topic: 'plan' }, { topic: 'disrupt' }];
    default:
      return [];
  }
}

/** @see kubernetes, names of objects: a DNS subdomain; provider ids are shorter */
const MAX_NAME_LENGTH = 253;

/**
 * A name that Kubernetes cannot have would make the lookup fail until the message reaches the
 * dead-letter queue.
 */
const isLikely = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && name.length <= MAX_NAME_LENGTH;

const nodeChanged = (providerId: string, at: EpochMs): IntakeHint => ({
  topic: 'interruption',
  notice: { kind: 'state-change', providerId, at },
});

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
