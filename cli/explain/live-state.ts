import * as z from 'zod';
import type { Subject } from '../../shared/explain/explanation.ts';
import { NODE_CLAIMS, NODE_POOLS, NODES, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readObject } from '../../shared/kubernetes/client/read-object.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { NODEPOOL_LABEL } from '../../shared/model/labels.ts';
import { isAwaitingNode } from '../../shared/model/pods/disruption-pods.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { listClaims, listPods } from '../cluster/live-objects.ts';

/*
 * A record is of the moment of its decision. Before it answers for now, the objects in question are read:
 * one request for a pod, two for a node, three for a NodePool.
 */

/** `gone`: the API server has the object no more. */
export type RecordAge = 'current' | 'outdated' | 'gone';

/** Compares objects as a record has them with those of the API server. */
export async function compareWithLive(
  api: KubernetesApi,
  subjects: readonly Subject[] | 'pending',
  snapshot: ClusterSnapshot,
): Promise<RecordAge> {
  if (subjects === 'pending') return (await hasSamePending(api, snapshot)) ? 'current' : 'outdated';
  const ages = await Promise.all(subjects.map((subject) => compareOne(api, subject, snapshot)));
  return (['outdated', 'gone'] as const).find((age) => ages.includes(age)) ?? 'current';
}

function compareOne(api: KubernetesApi, { kind, name }: Subject, snapshot: ClusterSnapshot): Promise<RecordAge> {
  switch (kind) {
    case 'pod':
      return comparePod(api, name, snapshot);
    case 'node':
    case 'nodeclaim':
      return compareNode(api, kind, name, snapshot);
    case 'nodepool':
      return comparePool(api, name, snapshot);
  }
}

const objectSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().default(''),
    generation: z.number().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.looseObject({ nodeName: z.string().optional() }).prefault({}),
  status: z
    .looseObject({
      phase: z.string().optional(),
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), reason: z.string().optional() }))
        .default([]),
    })
    .prefault({}),
});
type LiveObject = z.output<typeof objectSchema>;

const findLive = async (...args: Parameters<typeof readObject>): Promise<LiveObject | undefined> =>
  objectSchema.optional().parse(await readObject(...args));

const isTrue = ({ status }: LiveObject, type: string): boolean =>
  status.conditions.some((one) => one.type === type && one.status === 'True');

const isDeleted = ({ metadata }: LiveObject): boolean => metadata.deletionTimestamp !== undefined;

const toAge = (isSame: boolean): RecordAge => (isSame ? 'current' : 'outdated');

async function comparePod(api: KubernetesApi, key: string, { pods }: ClusterSnapshot): Promise<RecordAge> {
  const [namespace = '', name = ''] = key.split('/');
  const live = await findLive(api, PODS, { namespace, name });
  if (!live) return 'gone';
  const pod = pods.find((one) => podKey(one) === key);
  const isUnschedulable = live.status.conditions.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable',
  );
  return toAge(
    pod !== undefined &&
      (pod.deletionAt !== undefined) === isDeleted(live) &&
      pod.nodeName === live.spec.nodeName &&
      pod.phase === (live.status.phase ?? 'Pending') &&
      (pod.unschedulableSince !== undefined) === isUnschedulable,
  );
}

async function compareNode(
  api: KubernetesApi,
  kind: 'node' | 'nodeclaim',
  name: string,
  { nodes, claims }: ClusterSnapshot,
): Promise<RecordAge> {
  const claim = claims.find((one) => (kind === 'node' ? one.nodeName : one.name) === name);
  const node = nodes.find((one) => one.name === (claim?.nodeName ?? name));
  const [liveNode, liveClaim] = await Promise.all([
    node && findLive(api, NODES, { name: node.name }),
    claim && findLive(api, NODE_CLAIMS, { name: claim.name }),
  ]);
  if (!(kind === 'node' ? liveNode : liveClaim)) return 'gone';
  const isSameNode = node
    ? liveNode !== undefined &&
      (node.deletionAt !== undefined) === isDeleted(liveNode) &&
      node.ready === isTrue(liveNode, 'Ready')
    : true;
  const isSameClaim = claim
    ? liveClaim !== undefined &&
      (claim.deletingAt !== undefined) === isDeleted(liveClaim) &&
      (claim.initializedAt !== undefined) === isTrue(liveClaim, 'Initialized') &&
      (claim.drift !== undefined) === isTrue(liveClaim, 'Drifted')
    : true;
  return toAge(isSameNode && isSameClaim);
}

/** The answer about a NodePool also counts its nodes, and the pods that wait for it. */
async function comparePool(api: KubernetesApi, name: string, snapshot: ClusterSnapshot): Promise<RecordAge> {
  const labelSelector = `${NODEPOOL_LABEL}=${name}`;
  const [live, claims, isSamePending] = await Promise.all([
    findLive(api, NODE_POOLS, { name }),
    listClaims(api, { labelSelector }),
    hasSamePending(api, snapshot),
  ]);
  if (!live) return 'gone';
  const pool = snapshot.pools.find((one) => one.name === name);
  const own = snapshot.claims.filter((claim) => claim.pool === name);
  return toAge(
    pool !== undefined &&
      isSamePending &&
      pool.generation === live.metadata.generation &&
      pool.deleting === isDeleted(live) &&
      hasSame(
        own.map((claim) => describeClaim(claim.name, claim.deletingAt, claim.drift)),
        claims.map(({ name: claim, deletionAt, conditions }) =>
          describeClaim(
            claim,
            deletionAt,
            conditions.find(({ type, status }) => type === 'Drifted' && status === 'True'),
          ),
        ),
      ),
  );
}

const describeClaim = (name: string, deletion: unknown, drift: unknown): string =>
  `${name} ${deletion !== undefined} ${drift !== undefined}`;

async function hasSamePending(api: KubernetesApi, { pods }: ClusterSnapshot): Promise<boolean> {
  const live = await listPods(api, { fieldSelector: 'spec.nodeName=' });
  return hasSame(pods.filter(isAwaitingNode).map(podKey), live.filter(isAwaitingNode).map(podKey));
}

const hasSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.toSorted().join('\n') === others.toSorted().join('\n');
