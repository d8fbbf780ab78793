import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { StaleObjectError } from '../../model/errors.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { Taint } from '../../model/requirements/taints.ts';
import type { NodeChange } from '../../ports/cluster.ts';
import { NODES, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';
import { readNode } from '../readers/read-node.ts';

/**
 * Heartbeats also change the resourceVersion. After four conflicts another writer keeps changing
 * the node.
 */
const MAX_ATTEMPTS = 4;

const taintSchema = z.looseObject({ key: z.string(), effect: z.string() });
type LiveTaint = z.output<typeof taintSchema>;

const storedSchema = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  spec: z.object({ taints: z.array(taintSchema).default([]) }).prefault({}),
});
type StoredNode = z.output<typeof storedSchema>;

/**
 * Patches a Node if it is unchanged since the decision.
 *
 * The Node is read again and compared, and the patch names the resourceVersion just read: the
 * version from the decision would conflict with every heartbeat since.
 *
 * @throws StaleObjectError - the Node is gone or has changed since the decision
 */
export async function changeNode(api: KubernetesApi, node: Node, change: NodeChange): Promise<void> {
  const toStaleError = (): StaleObjectError => new StaleObjectError(`Node ${node.name}`);
  const path = objectPath(NODES, node);

  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const stored = await readStored(api, node);
    if (!stored) throw toStaleError();

    const request = { verb: 'patch', resource: NODES.name, path } as const;
    const response = await api.send({
      ...request,
      contentType: 'application/merge-patch+json',
      body: toPatch(stored, change),
    });
    if (isSuccess(response)) return;
    if (response.status === 404) throw toStaleError();
    if (response.status !== 409) throw toApiError(request, response);
  }
  throw toStaleError();
}

/** The stored Node; `undefined` if it differs from the one in the decision. */
async function readStored(api: KubernetesApi, node: Node): Promise<StoredNode | undefined> {
  const body = await readObject(api, NODES, node);
  const reading = readNode(body);
  const stored = storedSchema.safeParse(body);
  const isSame = reading.outcome === 'read' && isDeepStrictEqual(reading.value, node);
  return isSame && stored.success ? stored.data : undefined;
}

const toPatch = ({ metadata, spec }: StoredNode, change: NodeChange): object => ({
  metadata: {
    resourceVersion: metadata.resourceVersion,
    ...toLabelPatch(change),
    ...(change.annotations && { annotations: change.annotations }),
    ...(change.finalizers && { finalizers: change.finalizers }),
  },
  ...(change.taints && { spec: { taints: change.taints.map(withTimeAdded(spec.taints)) } }),
});

/** A merge patch removes fields that are null. */
function toLabelPatch({ labels, withoutLabels = [] }: NodeChange): object {
  if (!labels && withoutLabels.length === 0) return {};
  return { labels: { ...labels, ...Object.fromEntries(withoutLabels.map((key) => [key, null])) } };
}

/** A taint that stays keeps its `timeAdded`, because tolerations count from there. */
const withTimeAdded =
  (stored: readonly LiveTaint[]) =>
  (taint: Taint): object => ({
    ...stored.find(({ key, effect }) => key === taint.key && effect === taint.effect),
    ...taint,
  });
