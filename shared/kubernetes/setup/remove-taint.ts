import * as z from 'zod';
import { STEERING_TAINTS } from '../../model/requirements/taints.ts';
import { NODES, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { retryConflicts } from '../client/conflict-retries.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';

const taintSchema = z.looseObject({ key: z.string(), effect: z.string() });
const taintedSchema = z.object({
  metadata: z.object({ name: z.string(), resourceVersion: z.string() }),
  spec: z.object({ taints: z.array(taintSchema).default([]) }).prefault({}),
});
type TaintedNode = z.output<typeof taintedSchema>;

const isOurs = ({ key, effect }: z.output<typeof taintSchema>): boolean =>
  STEERING_TAINTS.some((own) => own.key === key && own.effect === effect);

/**
 * Removes the taints that steer pods from all nodes: without Mortise they would do so for as long
 * as the nodes run.
 */
export async function removeSteeringTaints(api: KubernetesApi): Promise<void> {
  const { parsed } = await listObjects(api, {
    resource: NODES,
    read: (raw) => ({ outcome: 'read', value: taintedSchema.parse(raw) }),
  });
  for (const reading of parsed.values()) if (reading.outcome === 'read') await untaint(api, reading.value);
}

async function untaint(api: KubernetesApi, listed: TaintedNode): Promise<void> {
  const path = objectPath(NODES, listed.metadata);
  const patch: ApiRequest = { verb: 'patch', resource: NODES.name, path };
  let node: TaintedNode | undefined = listed;

  await retryConflicts(patch, listed.metadata.name, async () => {
    if (!node?.spec.taints.some(isOurs)) return undefined;
    const response = await api.send({
      ...patch,
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion: node.metadata.resourceVersion },
        spec: { taints: node.spec.taints.filter((taint) => !isOurs(taint)) },
      },
    });
    if (response.status === 409) {
      const { status, body } = await api.send({ verb: 'get', resource: NODES.name, path });
      node = status === 200 ? taintedSchema.parse(body) : undefined;
      return 'conflict';
    }
    if (!isSuccess(response) && response.status !== 404) throw toApiError(patch, response);
    return undefined;
  });
}
