import * as z from 'zod';
import type { ClaimObjects, Cluster } from '../../ports/cluster.ts';
import { type ApiResource, NODE_CLAIMS, NODE_POOLS, NODES, PODS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';
import { isObjectMissing } from '../writers/stored-node-claim.ts';
import type { EventSubject } from './user-events.ts';

/** An Event's reference to its object. `kubectl describe` selects by the uid. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** The objects of one observation that Events refer to. */
export type ObservedSubjects = Pick<ClaimObjects, 'pods' | 'nodes' | 'nodeClaims' | 'pools'>;

/** A batch of a function observes at most ten claims, some of them twice. */
const MAX_CLAIM_OBSERVATIONS = 20;

/**
 * Wraps a cluster so that its last observations can be read without another request: the last whole one, and
 * those of single claims since. The newest is first.
 */
export function rememberObservations<C extends Cluster>(
  cluster: C,
): { readonly cluster: C; readonly observations: () => readonly ObservedSubjects[] } {
  let whole: ObservedSubjects | undefined;
  let ofClaims: readonly ObservedSubjects[] = [];
  const { observeClaim } = cluster;
  return {
    cluster: {
      ...cluster,
      async observe(options) {
        const objects = await cluster.observe(options);
        whole = objects;
        ofClaims = [];
        return objects;
      },
      ...(observeClaim && {
        observeClaim: async (query) => {
          const objects = await observeClaim(query);
          ofClaims = [objects, ...ofClaims.slice(0, MAX_CLAIM_OBSERVATIONS - 1)];
          return objects;
        },
      }),
    },
    observations: () => (whole ? [...ofClaims, whole] : ofClaims),
  };
}

/**
 * Finds the object of a subject in the observations, or else in the API server: not every controller observes
 * what its Events are about.
 *
 * @returns `undefined` if there is none
 */
export async function findReference(
  subject: EventSubject,
  api: KubernetesApi,
  observations: readonly ObservedSubjects[],
): Promise<ObjectReference | undefined> {
  switch (subject.kind) {
    case 'EC2NodeClass': {
      const { kind, nodeClass: name, uid } = subject;
      return { apiVersion: 'karpenter.k8s.aws/v1', kind, name, uid };
    }
    case 'Pod': {
      const [namespace = '', name = ''] = subject.pod.split('/');
      const pod = findFirst(observations, ({ pods }) =>
        pods.find((candidate) => candidate.name === name && candidate.namespace === namespace),
      );
      return toReference(PODS, pod ?? (await readIdentity(api, PODS, { namespace, name })));
    }
    case 'NodePool': {
      const name = subject.pool;
      const pool = findFirst(observations, ({ pools }) => pools.find((one) => one.name === name));
      return toReference(NODE_POOLS, pool ?? (await readIdentity(api, NODE_POOLS, { name })));
    }
    case 'NodeClaim': {
      const name = subject.claim;
      const object =
        findFirst(observations, ({ nodeClaims }) => nodeClaims.find((one) => one.name === name)) ??
        (await readIdentity(api, NODE_CLAIMS, { name }));
      return toReference(NODE_CLAIMS, object);
    }
    case 'Node': {
      const name = await findNodeName(subject.claim, api, observations);
      if (name === undefined) return undefined;
      const node = findFirst(observations, ({ nodes }) => nodes.find((one) => one.name === name));
      return toReference(NODES, node ?? (await readIdentity(api, NODES, { name })));
    }
  }
}

/** An observation may be older than the Node. */
async function findNodeName(
  claim: string,
  api: KubernetesApi,
  observations: readonly ObservedSubjects[],
): Promise<string | undefined> {
  const observed = findFirst(observations, ({ nodeClaims }) => nodeClaims.find(({ name }) => name === claim)?.nodeName);
  return observed ?? (await readIdentity(api, NODE_CLAIMS, { name: claim }))?.nodeName;
}

function findFirst<T>(
  observations: readonly ObservedSubjects[],
  find: (observed: ObservedSubjects) => T | undefined,
): T | undefined {
  for (const observed of observations) {
    const object = find(observed);
    if (object !== undefined) return object;
  }
  return undefined;
}

const identitySchema = z
  .object({
    metadata: z.object({ namespace: z.string().optional(), name: z.string(), uid: z.string() }),
    status: z.object({ nodeName: z.string().optional() }).optional(),
  })
  .transform(({ metadata, status }) => ({ ...metadata, nodeName: status?.nodeName }));
type Identity = z.output<typeof identitySchema>;

async function readIdentity(
  api: KubernetesApi,
  resource: ApiResource,
  object: { readonly namespace?: string; readonly name: string },
): Promise<Identity | undefined> {
  return identitySchema.optional().parse(await readObject(api, resource, object, isObjectMissing));
}

const toReference = (
  { kind, root }: ApiResource,
  object: { readonly namespace?: string | undefined; readonly name: string; readonly uid: string } | undefined,
): ObjectReference | undefined =>
  object && {
    apiVersion: root.replace(/^\/apis?\//, ''),
    kind,
    ...(object.namespace !== undefined && { namespace: object.namespace }),
    name: object.name,
    uid: object.uid,
  };
