import * as z from 'zod';
import { isManagedNode } from '../../model/nodes/node.ts';
import { KindNotServedError } from '../client/api-errors.ts';
import { type ApiResource, EC2_NODE_CLASSES, NODE_CLAIMS, NODES, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { retryConflicts } from '../client/conflict-retries.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects, type ObjectListing } from '../client/list-objects.ts';

/** The finalizers that keep an object until its instance is terminated. */
const FINALIZERS: ReadonlySet<string> = new Set(['karpenter.sh/termination', 'karpenter.k8s.aws/termination']);
const NODE_CLASS_GROUP = 'karpenter.k8s.aws';
const heldSchema = z.object({
  metadata: z.object({
    name: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    finalizers: z.array(z.string()).default([]),
  }),
  spec: z
    .object({
      providerID: z.string().optional(),
      nodeClassRef: z.object({ group: z.string() }).optional(),
    })
    .prefault({}),
});
type HeldObject = z.output<typeof heldSchema>;

interface HeldKind {
  readonly resource: ApiResource;
  readonly isOurs: (object: HeldObject) => boolean;
}

const OUR_NODES: HeldKind = {
  resource: NODES,
  isOurs: ({ metadata }) => isManagedNode(metadata),
};

/** Claims and nodes come first: an EC2NodeClass is needed as long as one of them exists. */
const HELD_KINDS: readonly HeldKind[] = [
  {
    resource: NODE_CLAIMS,
    isOurs: ({ spec }) => spec.nodeClassRef?.group === NODE_CLASS_GROUP,
  },
  OUR_NODES,
  { resource: EC2_NODE_CLASSES, isOurs: () => true },
];

/** A node that keeps running after its finalizer is removed. */
export interface RunningNode {
  readonly name: string;
  readonly providerId: string;
}

/**
 * Removes our finalizers from all objects, so that each can be deleted without us.
 *
 * @returns the nodes that keep running
 */
export async function removeAllFinalizers(api: KubernetesApi): Promise<readonly RunningNode[]> {
  for (const kind of HELD_KINDS) {
    for (const object of await listOurObjects(api, kind)) await removeFinalizers(api, kind, object);
  }
  return (await listOurObjects(api, OUR_NODES)).map(({ metadata, spec }) => ({
    name: metadata.name,
    providerId: spec.providerID ?? '',
  }));
}

async function listOurObjects(api: KubernetesApi, { resource, isOurs }: HeldKind): Promise<readonly HeldObject[]> {
  const { parsed } = await listObjects(api, {
    resource,
    read: (raw) => ({ outcome: 'read', value: heldSchema.parse(raw) }),
  }).catch(noneIfNotServed);
  return [...parsed.values()].flatMap((reading) => (reading.outcome === 'read' ? [reading.value] : [])).filter(isOurs);
}

/** If the CRD is not installed, the kind has no objects. */
function noneIfNotServed(error: unknown): Pick<ObjectListing<HeldObject>, 'parsed'> {
  if (error instanceof KindNotServedError) return { parsed: new Map() };
  throw error;
}

async function removeFinalizers(api: KubernetesApi, { resource }: HeldKind, listed: HeldObject): Promise<void> {
  const path = objectPath(resource, listed.metadata);
  const patch: ApiRequest = { verb: 'patch', resource: resource.name, path };
  let held: HeldObject | undefined = listed;

  await retryConflicts(patch, listed.metadata.name, async () => {
    if (!held) return undefined;
    const { finalizers, resourceVersion } = held.metadata;
    const others = finalizers.filter((finalizer) => !FINALIZERS.has(finalizer));
    if (others.length === finalizers.length) return undefined;

    const response = await api.send({
      ...patch,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, finalizers: others } },
    });
    if (response.status === 409) {
      held = await rereadObject(api, resource, listed);
      return 'conflict';
    }
    if (!isSuccess(response) && response.status !== 404) throw toApiError(patch, response);
    return undefined;
  });
}

/** Returns `undefined` if the object is gone. */
async function rereadObject(
  api: KubernetesApi,
  resource: ApiResource,
  { metadata }: HeldObject,
): Promise<HeldObject | undefined> {
  const path = objectPath(resource, metadata);
  const { status, body } = await api.send({ verb: 'get', resource: resource.name, path });
  return status === 200 ? heldSchema.parse(body) : undefined;
}
