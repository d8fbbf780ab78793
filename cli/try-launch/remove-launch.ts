import { NODE_CLAIMS, objectPath } from '../../shared/kubernetes/client/api-resources.ts';
import { toApiError } from '../../shared/kubernetes/client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import { listPodTimes, readLiveClaim } from '../describe/live-claim.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Observation } from './observe-launch.ts';
import { deleteTestPod, type TestPod } from './test-pod.ts';

export interface RemovalParts {
  readonly api: KubernetesApi;
  readonly pod: TestPod;
  /** Looks for the pod's NodeClaim once more; undefined if there is none. */
  readonly findClaimName: () => Promise<string | undefined>;
  readonly progress: Progress;
  readonly timeoutMs: number;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly now: () => number;
}

/**
 * A plan that was made before the pod went may be stored after it. Planning and its commit take a few
 * seconds.
 */
const LATE_CLAIM_MS = 5 * SECOND_MS;
const LOOK_EVERY_MS = 500;

/**
 * Deletes the pod and the NodeClaim that was made for it, and waits until the instance is gone. A node with
 * pods of other owners stays.
 *
 * @returns sentences about what remains
 */
export async function removeLaunch(parts: RemovalParts, last: Observation | undefined): Promise<readonly string[]> {
  const { api, pod, progress, now, pause } = parts;
  progress.report('removing the pod');
  await deleteTestPod(api, pod);
  const start = now();
  let name = last?.claim?.name;
  while (name === undefined && now() - start < LATE_CLAIM_MS) {
    await pause(LOOK_EVERY_MS);
    name = await parts.findClaimName();
  }
  if (name === undefined) return [];

  const claim = await readLiveClaim(api, name);
  if (claim === undefined) return [];
  const node = claim.nodeName;
  // The pod itself has a grace period of 0.
  const others = node === undefined ? [] : await listPodTimes(api, node);
  if (others.length > 0) {
    return [`NodeClaim ${name}: other pods run on its node`];
  }
  progress.report(`removing NodeClaim ${name}`);
  await deleteClaim(api, name);
  while (now() - start < parts.timeoutMs) {
    if ((await readLiveClaim(api, name)) === undefined) return [];
    await pause(LOOK_EVERY_MS);
  }
  return [`NodeClaim ${name}: it is being removed`];
}

async function deleteClaim(api: KubernetesApi, name: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const request = { verb: 'delete', resource: NODE_CLAIMS.name, path } as const;
  const response = await api.send(request);
  if (!isSuccess(response) && response.status !== 404) throw toApiError(request, response);
}
