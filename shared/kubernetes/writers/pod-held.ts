import { PodHeldError } from '../../model/errors.ts';
import { type Pod, podKey } from '../../model/pod.ts';
import { refusalOf } from '../client/api-responses.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import type { ApiAnswer, ApiRequest, KubernetesApi } from '../client/kubernetes-api.ts';

/** @see kubernetes, admission: webhooks and policies say so; RBAC does not */
const DENIED = /denied (the )?request/;

/**
 * Asks for a pod to leave.
 *
 * @throws PodHeldError - a webhook or a policy forbids it
 */
export async function askToLeave(
  api: KubernetesApi,
  pod: Pod,
  request: ApiRequest,
): Promise<ApiAnswer> {
  try {
    return await api.ask(request);
  } catch (cause) {
    if (!(cause instanceof ApiForbiddenError) || !DENIED.test(cause.message)) throw cause;
    throw new PodHeldError(podKey(pod), { why: cause.message, cause });
  }
}

/**
 * What a refusal comes to. A server that fails for this request, as when a webhook does not answer,
 * may well serve the next one; one that is overloaded or on its way out (503, 504) will not.
 */
export function whyItStays(pod: Pod, request: ApiRequest, answer: ApiAnswer): Error {
  const refusal = refusalOf(request, answer);
  if (answer.status > 500) return refusal;
  return new PodHeldError(podKey(pod), { why: refusal.message, cause: refusal });
}
