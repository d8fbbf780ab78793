import type { ClusterObjects } from '../../ports/cluster.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { findNodeClaim } from '../writers/stored-node-claim.ts';
import type { EventSubject } from './user-events.ts';

/** An Event's reference to its object. `kubectl describe` selects by the uid. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Finds the object of a subject in the last observation, if there was one; a newer NodeClaim is read from the API
 * server.
 *
 * @returns `undefined` if there is none
 */
export async function findReference(
  subject: EventSubject,
  api: KubernetesApi,
  objects: ClusterObjects | undefined,
): Promise<ObjectReference | undefined> {
  if (subject.kind === 'EC2NodeClass') {
    const { kind, nodeClass: name, uid } = subject;
    return { apiVersion: 'karpenter.k8s.aws/v1', kind, name, uid };
  }
  if (!objects) return undefined;
  switch (subject.kind) {
    case 'Pod': {
      const [namespace = '', name = ''] = subject.pod.split('/');
      const pod = objects.pods.find(
        (candidate) => candidate.name === name && candidate.namespace === namespace,
      );
      return pod && { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: pod.uid };
    }
    case 'NodePool': {
      const pool = objects.pools.find(({ name }) => name === subject.pool);
      const { pool: name } = subject;
      return pool && { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid: pool.uid };
    }
    case 'NodeClaim': {
      const { claim: name } = subject;
      const object =
        objects.nodeClaims.find((candidate) => candidate.name === name) ??
        (await findNodeClaim(api, name));
      if (!object) return undefined;
      return { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: object.uid };
    }
    case 'Node': {
      const claim = objects.nodeClaims.find((candidate) => candidate.name === subject.claim);
      const node = objects.nodes.find(({ name }) => name === claim?.nodeName);
      return node && { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid };
    }
  }
}
