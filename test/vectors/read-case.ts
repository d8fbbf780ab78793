import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { nodePoolSchema } from '../../shared/api/node-pool.ts';
import { podTemplateSchema, readPodTemplate } from '../../shared/api/pod-template.ts';
import { readNodePool } from '../../shared/api/read-node-pool.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../shared/model/instance-type.ts';
import type { Labels } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/node.ts';
import type { NodeClaim } from '../../shared/model/node-claim.ts';
import type { NodePool } from '../../shared/model/node-pool.ts';
import type { OwnerReference, Pod } from '../../shared/model/pod.ts';
import { toResources } from '../../shared/model/quantity.ts';
import type { RequirementSpec } from '../../shared/model/requirements.ts';
import { subtractResources } from '../../shared/model/resources.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import type { DaemonSet } from '../../shared/model/workload.ts';

const texts = z.record(z.string(), z.string());
const amounts = z.record(z.string(), z.union([z.string(), z.number()]));
const metadata = z.object({
  name: z.string(),
  namespace: z.string().default('default'),
  labels: texts.default({}),
  annotations: texts.default({}),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  ownerReferences: z
    .array(z.object({ kind: z.string(), name: z.string(), uid: z.string().default('') }))
    .default([]),
});
const taint = z.object({
  key: z.string(),
  value: z.string().exactOptional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});
const condition = z.object({ type: z.string(), status: z.string(), reason: z.string().optional() });
const requirement = z.object({
  key: z.string(),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']),
  values: z.array(z.string()).exactOptional(),
  minValues: z.number().exactOptional(),
});
const podSchema = z.object({
  metadata,
  replicas: z.number().optional(),
  spec: z.looseObject({ nodeName: z.string().optional() }),
  status: z
    .object({
      phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed']).optional(),
      nominatedNodeName: z.string().optional(),
      conditions: z.array(condition).optional(),
    })
    .optional(),
});
const typeSchema = z.object({
  name: z.string(),
  requirements: z
    .union([z.record(z.string(), z.array(z.string())), z.array(requirement)])
    .default({}),
  capacity: amounts,
  overhead: z.record(z.string(), amounts).default({}),
  offerings: z.array(
    z.object({
      zone: z.string(),
      capacityType: z.enum(['spot', 'on-demand', 'reserved']),
      price: z.number(),
      available: z.boolean().default(true),
    }),
  ),
});
const nodeSchema = z.object({
  metadata,
  spec: z
    .object({ providerID: z.string().optional(), taints: z.array(taint).default([]) })
    .default({ taints: [] }),
  status: z.object({
    capacity: amounts.default({}),
    allocatable: amounts.default({}),
    conditions: z.array(condition).default([]),
  }),
});
const claimSchema = z.object({
  metadata,
  spec: z.object({
    requirements: z.array(requirement).default([]),
    taints: z.array(taint).default([]),
    startupTaints: z.array(taint).default([]),
    resources: z.object({ requests: amounts.default({}) }).default({ requests: {} }),
  }),
  status: z.object({
    providerID: z.string().optional(),
    nodeName: z.string().optional(),
    capacity: amounts.default({}),
    allocatable: amounts.default({}),
    conditions: z.array(condition).default([]),
  }),
});
const range = z.object({ min: z.number(), max: z.number() });

export const caseSchema = z.object({
  name: z.string(),
  topic: z.string().default(''),
  why: z.string().default(''),
  options: z.record(z.string(), z.unknown()).default({}),
  now: z.string().default('2026-06-01T12:00:00Z'),
  catalog: z.string().optional(),
  instanceTypes: z.array(typeSchema).default([]),
  instanceTypesFor: z.record(z.string(), z.array(z.string())).default({}),
  unavailable: z
    .array(
      z.object({
        instanceType: z.string().exactOptional(),
        zone: z.string().exactOptional(),
        capacityType: z.enum(['spot', 'on-demand', 'reserved']).exactOptional(),
      }),
    )
    .default([]),
  nodePools: z.array(z.looseObject({ metadata })).default([]),
  daemonSets: z
    .array(z.object({ metadata, spec: z.object({ template: z.looseObject({}) }) }))
    .default([]),
  pods: z.array(podSchema).default([]),
  boundPods: z.array(podSchema).default([]),
  nodes: z.array(nodeSchema).default([]),
  nodeClaims: z.array(claimSchema).default([]),
  namespaces: z.array(z.object({ metadata })).default([]),
  expected: z.object({
    newNodeClaims: z.array(z.looseObject({ nodePool: z.string(), pods: z.array(z.string()) })),
    unschedulable: texts.default({}),
    totalPrice: z.number().default(0),
    stability: z.object({ totalPrice: range, newNodes: range, scheduledPods: range }),
  }),
});
export type VectorCase = z.output<typeof caseSchema>;

export function readCase(file: string): VectorCase {
  const bytes = readFileSync(file);
  const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return caseSchema.parse(JSON.parse(text.toString('utf8')));
}

/** The snapshot of a case. `catalogs` holds the shared lists of instance types by name. */
export function snapshotOf(
  vector: VectorCase,
  catalogs: (name: string) => unknown,
): ClusterSnapshot {
  const now = Date.parse(vector.now);
  const shared = vector.catalog === undefined ? [] : readCatalog(catalogs(vector.catalog));
  const types = [...shared, ...vector.instanceTypes];
  const all = types.map(instanceTypeOf);
  const pools = vector.nodePools.map((pool) => poolOf(pool));
  return {
    takenAt: now,
    pods: [
      ...vector.pods.flatMap((pod) => podsOfCase(pod, now - MINUTE_MS, now)),
      ...vector.boundPods.flatMap((pod) => podsOfCase(pod, now - HOUR_MS, now)),
    ],
    nodes: vector.nodes.map((node) => nodeOf(node, now - HOUR_MS)),
    claims: vector.nodeClaims.map((claim) => claimOf(claim, now - HOUR_MS)),
    pools,
    daemonSets: vector.daemonSets.map(
      ({ metadata: { name, namespace }, spec }): DaemonSet => ({
        kind: 'DaemonSet',
        name,
        namespace,
        annotations: {},
        template: readPodTemplate(podTemplateSchema.parse(spec.template), { value: 0 }),
      }),
    ),
    podDisruptionBudgets: [],
    namespaces: namespacesOf(vector),
    instanceTypes: Object.fromEntries(
      pools.map(({ name }) => {
        const only = vector.instanceTypesFor[name];
        return [name, only ? all.filter((type) => only.includes(type.name)) : all];
      }),
    ),
    offerings: types.flatMap(({ name, offerings }) =>
      offerings
        .filter(({ available }) => available)
        .map(
          ({ zone, capacityType, price }): Offering => ({
            instanceType: name,
            zone,
            capacityType,
            hourlyUsd: price,
          }),
        ),
    ),
    unavailable: vector.unavailable.map((one) => ({ ...one, until: now + HOUR_MS })),
    nominations: {},
  };
}

const readCatalog = (value: unknown): z.output<typeof typeSchema>[] =>
  z
    .union([
      z.array(typeSchema),
      z.object({ instanceTypes: z.array(typeSchema) }).transform((c) => c.instanceTypes),
    ])
    .parse(value);

function instanceTypeOf(type: z.output<typeof typeSchema>): InstanceType {
  const labels: Record<string, string> = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': type.name,
  };
  const choices: Record<string, string[]> = {};
  for (const [key, values] of valuesOf(type.requirements)) {
    if (values.length === 1 && values[0] !== undefined) labels[key] = values[0];
    else if (values.length > 1) {
      delete labels[key];
      choices[key] = values;
    }
  }
  const capacity = toResources(type.capacity);
  const overhead = Object.values(type.overhead).map(toResources);
  return {
    name: type.name,
    labels,
    ...(Object.keys(choices).length > 0 ? { choices } : {}),
    capacity,
    allocatable: overhead.reduce(subtractResources, capacity),
  };
}

function valuesOf(written: z.output<typeof typeSchema>['requirements']): [string, string[]][] {
  if (!Array.isArray(written)) return Object.entries(written);
  return written.map(({ key, values = [] }) => [key, values]);
}

function poolOf(written: { metadata: { name: string } }): NodePool {
  const pool = nodePoolSchema.parse({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    ...written,
  });
  const conditions = z
    .object({ status: z.object({ conditions: z.array(condition).default([]) }).optional() })
    .parse(written).status?.conditions;
  const notReady = conditions?.find(({ type, status }) => type === 'Ready' && status !== 'True');
  const read = readNodePool(written.metadata.name, pool);
  return { ...read, ready: !notReady && read.nodeClass.group === 'karpenter.k8s.aws' };
}

function podsOfCase(pod: z.output<typeof podSchema>, createdAt: number, now: number): Pod[] {
  const template = readPodTemplate(podTemplateSchema.parse(pod), { value: 0 });
  const { name, namespace, labels, annotations, ownerReferences, deletionTimestamp } = pod.metadata;
  const [owner] = ownerReferences;
  const { nodeName } = pod.spec;
  const bound = nodeName !== undefined && nodeName !== '';
  const unschedulable = pod.status?.conditions
    ? pod.status.conditions.some(
        ({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable',
      )
    : pod.status === undefined && !bound;
  const names =
    pod.replicas === undefined
      ? [name]
      : Array.from({ length: pod.replicas }, (_, index) => `${name}-${index}`);
  return names.map((one) => ({
    ...template,
    labels,
    annotations,
    namespace,
    name: one,
    uid: `${namespace}/${one}`,
    createdAt,
    ...(owner ? { owner: owner satisfies OwnerReference } : {}),
    phase: pod.status?.phase ?? (bound ? 'Running' : 'Pending'),
    ready: bound,
    ...(unschedulable ? { unschedulableSince: createdAt } : {}),
    ...(bound ? { nodeName, startedAt: createdAt } : {}),
    ...(pod.status?.nominatedNodeName ? { nominatedNodeName: pod.status.nominatedNodeName } : {}),
    ...(deletionTimestamp ? { deletionAt: Date.parse(deletionTimestamp) || now } : {}),
  }));
}

function nodeOf(node: z.output<typeof nodeSchema>, createdAt: number): Node {
  const { name, labels, annotations, deletionTimestamp } = node.metadata;
  const ready = node.status.conditions.find(({ type }) => type === 'Ready');
  return {
    name,
    uid: name,
    ...(node.spec.providerID ? { providerId: node.spec.providerID } : {}),
    createdAt,
    labels,
    annotations,
    taints: node.spec.taints,
    capacity: toResources(node.status.capacity),
    allocatable: toResources(node.status.allocatable),
    ready: ready ? ready.status === 'True' : true,
    finalizers: [],
    ...(deletionTimestamp ? { deletionAt: Date.parse(deletionTimestamp) } : {}),
  };
}

function claimOf(claim: z.output<typeof claimSchema>, createdAt: number): NodeClaim {
  const { name, labels, annotations, deletionTimestamp } = claim.metadata;
  const { requirements, taints, startupTaints, resources } = claim.spec;
  const { status } = claim;
  const isTrue = (type: string) =>
    status.conditions.some((one) => one.type === type && one.status === 'True');
  const label = (key: string): string => labels[key] ?? '';
  const capacityType = label('karpenter.sh/capacity-type');
  return {
    name,
    uid: name,
    pool: label('karpenter.sh/nodepool'),
    poolHash: '',
    nodeClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    createdAt,
    labels,
    annotations,
    taints,
    startupTaints,
    requirements: requirements satisfies readonly RequirementSpec[],
    instanceTypes: [label('node.kubernetes.io/instance-type')],
    requests: toResources(resources.requests),
    decision: '',
    ...(status.providerID
      ? {
          launch: {
            providerId: status.providerID,
            instanceType: label('node.kubernetes.io/instance-type'),
            zone: label('topology.kubernetes.io/zone'),
            capacityType:
              capacityType === 'spot' || capacityType === 'reserved' ? capacityType : 'on-demand',
            hourlyUsd: 0,
            at: createdAt,
            labels,
            capacity: toResources(status.capacity),
            allocatable: toResources(status.allocatable),
          },
        }
      : {}),
    ...(status.nodeName ? { nodeName: status.nodeName } : {}),
    ...(isTrue('Registered') ? { registeredAt: createdAt } : {}),
    ...(isTrue('Initialized') ? { initializedAt: createdAt } : {}),
    ...(deletionTimestamp ? { deletingAt: Date.parse(deletionTimestamp) } : {}),
  };
}

function namespacesOf(vector: VectorCase): Record<string, Labels> {
  const all: Record<string, Labels> = { default: { 'kubernetes.io/metadata.name': 'default' } };
  for (const { metadata: one } of [...vector.pods, ...vector.boundPods]) {
    all[one.namespace] = { 'kubernetes.io/metadata.name': one.namespace };
  }
  for (const { metadata: one } of vector.namespaces) {
    all[one.name] = { 'kubernetes.io/metadata.name': one.name, ...one.labels };
  }
  return all;
}
