import { DescribeInstancesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import * as z from 'zod';
import { collectionPath, EVENTS, NODES, objectPath, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { conditionSchema, instantSchema } from '../../shared/kubernetes/readers/live-object.ts';
import { NODEPOOL_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { listClaims } from '../cluster/live-objects.ts';
import type { TestPod } from './test-pod.ts';

/** An Event about the pod, or about a NodeClaim of the NodePool. */
export interface SeenEvent {
  readonly at: EpochMs;
  readonly reason: string;
  readonly reporter: string;
  /** The object that it is about. */
  readonly name: string;
  readonly note: string;
}

export interface SeenNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly notReadyWhy: string;
  /** `key=value:effect`. */
  readonly taints: readonly string[];
}

/** All that is known about the launch at one moment. */
export interface Observation {
  /** The node on which the pod was bound. */
  readonly boundTo?: string;
  readonly events: readonly SeenEvent[];
  /** The NodeClaim that was made for the pod. */
  readonly claim?: NodeClaimObject;
  readonly record?: NodeClaim;
  readonly instanceState?: string;
  readonly node?: SeenNode;
}

export interface LaunchSources {
  readonly api: KubernetesApi;
  readonly ec2: Pick<EC2Client, 'send'>;
  /** Reads the record of a NodeClaim; undefined if it cannot be read. */
  readonly findRecord: (name: string) => Promise<NodeClaim | undefined>;
}

const podSchema = z.object({ spec: z.object({ nodeName: z.string().optional() }) });

const eventsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ creationTimestamp: instantSchema }),
      eventTime: instantSchema.nullish(),
      reason: z.string().default(''),
      reportingController: z.string().default(''),
      deprecatedSource: z.object({ component: z.string().default('') }).prefault({}),
      note: z.string().default(''),
      regarding: z.object({ kind: z.string().default(''), name: z.string().default('') }).prefault({}),
    }),
  ),
});

const nodeSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    taints: z.array(z.object({ key: z.string(), value: z.string().default(''), effect: z.string() })).default([]),
  }),
  status: z.object({ conditions: z.array(conditionSchema).default([]) }).prefault({}),
});

/** Reads the pod and what belongs to it. A NodeClaim that ends keeps the last picture of itself. */
export async function observeLaunch(sources: LaunchSources, pod: TestPod, pool: string): Promise<Observation> {
  const { api } = sources;
  const [{ spec }, events] = await Promise.all([
    api.read(get(PODS, pod)).then((body) => podSchema.parse(body)),
    listEvents(api, pod),
  ]);
  const observed = {
    events,
    ...(spec.nodeName !== undefined && { boundTo: spec.nodeName }),
  };
  const claim = await findClaim(sources, { ...observed, pod, pool });
  if (claim === undefined) return observed;
  const [instanceState, node] = await Promise.all([
    readInstanceState(sources, claim.object),
    claim.object.nodeName === undefined ? undefined : readNode(api, claim.object.nodeName),
  ]);
  return {
    ...observed,
    claim: claim.object,
    ...(claim.record && { record: claim.record }),
    ...(instanceState !== undefined && { instanceState }),
    ...(node && { node }),
  };
}

interface ClaimSearch extends Pick<Observation, 'boundTo' | 'events'> {
  readonly pod: TestPod;
  readonly pool: string;
}

/**
 * The record names the pods that a NodeClaim was made for. Without it, the Event `Nominated` names the
 * NodeClaim, and at last the node of the pod.
 */
export async function findClaim(
  { api, findRecord }: Pick<LaunchSources, 'api' | 'findRecord'>,
  { pod, pool, events, boundTo }: ClaimSearch,
): Promise<{ readonly object: NodeClaimObject; readonly record?: NodeClaim } | undefined> {
  const claims = await listClaims(api, { labelSelector: `${NODEPOOL_LABEL}=${pool}` });
  const nominated = new Set(
    events.flatMap(({ reason, name, note }) =>
      reason === 'Nominated' && name === pod.name ? (/NodeClaim (\S+)/.exec(note)?.[1] ?? []) : [],
    ),
  );
  const isNamed = ({ name, nodeName }: NodeClaimObject): boolean =>
    nominated.has(name) || (boundTo !== undefined && nodeName === boundTo);
  const ours = await Promise.all(
    claims
      // The API server cuts times to seconds. A launch under way may have room for the pod.
      .filter((object) => isNamed(object) || object.createdAt >= pod.createdAt)
      .map(async (object) => {
        const record = await findRecord(object.name);
        const isOurs = isNamed(object) || record?.expects?.[pod.uid] !== undefined;
        return isOurs ? [{ object, ...(record && { record }) }] : [];
      }),
  );
  // After a refusal by EC2 the pod is planned again.
  return ours.flat().toSorted((a, b) => b.object.createdAt - a.object.createdAt)[0];
}

const get = (resource: typeof PODS, { namespace, name }: { namespace?: string; name: string }) => ({
  verb: 'get' as const,
  resource: resource.name,
  path: objectPath(resource, { name, ...(namespace !== undefined && { namespace }) }),
});

export async function listEvents(api: KubernetesApi, pod: TestPod): Promise<readonly SeenEvent[]> {
  const read = async (namespace: string, fieldSelector: string) =>
    eventsSchema.parse(
      await api.read({
        ...{ verb: 'list', resource: EVENTS.name, path: collectionPath(EVENTS, namespace) },
        query: { fieldSelector },
      }),
    ).items;
  const [ofPod, ofClaims] = await Promise.all([
    read(pod.namespace, `regarding.name=${pod.name}`),
    // Objects without a namespace have their Events here.
    read('default', 'regarding.kind=NodeClaim'),
  ]);
  return [...ofPod, ...ofClaims]
    .map((event) => ({
      at: event.eventTime ?? event.metadata.creationTimestamp,
      reason: event.reason,
      reporter: event.reportingController || event.deprecatedSource.component,
      name: event.regarding.name,
      note: event.note,
    }))
    .filter(({ at }) => at >= pod.createdAt)
    .toSorted((a, b) => a.at - b.at);
}

async function readNode(api: KubernetesApi, name: string): Promise<SeenNode | undefined> {
  const { status, body } = await api.send(get(NODES, { name }));
  if (status === 404) return undefined;
  const { spec, status: state } = nodeSchema.parse(body);
  const ready = state.conditions.find(({ type }) => type === 'Ready');
  return {
    name,
    isReady: ready?.status === 'True',
    notReadyWhy: ready?.message ?? 'the kubelet has not reported yet',
    taints: spec.taints.map(({ key, value, effect }) => `${key}${value === '' ? '' : `=${value}`}:${effect}`),
  };
}

export const instanceIdOf = ({ providerId }: Pick<NodeClaimObject, 'providerId'>) => providerId?.split('/').at(-1);

/** Undefined if it cannot be read: the phase is then left out. */
async function readInstanceState({ ec2 }: LaunchSources, claim: NodeClaimObject): Promise<string | undefined> {
  const id = instanceIdOf(claim);
  if (id === undefined) return undefined;
  try {
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    return Reservations[0]?.Instances?.[0]?.State?.Name;
  } catch {
    return undefined;
  }
}
