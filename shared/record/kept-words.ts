import * as z from 'zod';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { parseCron } from '../model/cron.ts';
import { REASONS } from '../model/explanations/reasons.ts';
import { isClaimName } from '../model/hash.ts';
import * as labels from '../model/labels.ts';
import { EPHEMERAL_STORAGE, NODES } from '../model/resources.ts';
import { snapshotSchema } from '../model-schema/snapshot-schema.ts';
import { decisionInputSchemas } from './decision-schema.ts';

/** Words of Kubernetes, Karpenter and Mortise with which decisions compare, besides those of schemas. */
const KUBERNETES_WORDS: readonly string[] = [
  ...['true', 'false', 'True', 'False', 'linux', 'windows', 'amd64', 'arm64', 'TCP', 'UDP', 'SCTP'],
  ...['0.0.0.0', '::', '127.0.0.1', 'cpu', 'memory', EPHEMERAL_STORAGE, NODES, 'storage', 'aws'],
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'],
  ...['system-cluster-critical', 'system-node-critical', 'pod-template-hash'],
  ...['Pod', 'Node', 'NodePool', 'NodeClaim', 'EC2NodeClass', 'ReplicaSet', 'Deployment', 'Job'],
  ...['CronJob', 'StatefulSet', 'SPOT', 'ON_DEMAND', 'DaemonSet', 'ReplicationController', 'PodDisruptionBudget'],
  ...['Ready', 'AcceleratedHardwareReady', 'NodeClassReady', 'ValidationSucceeded'],
  ...['karpenter.sh', 'karpenter.k8s.aws', 'readiness.k8s.io', 'adopted', 'by-hand'],
  ...['karpenter.sh/termination', 'karpenter.sh/unregistered', 'karpenter.sh/disrupted'],
  ...['mortise.sh/expensive-pool', 'mortise.sh/surplus', 'mortise.sh/fill-last'],
  ...['karpenter.sh/capacity-buffer-fake-pod', 'karpenter.sh/capacity-buffer-name'],
  ...['karpenter.sh/capacity-buffer-namespace', 'node.cloudprovider.kubernetes.io/uninitialized'],
  ...['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
  ...['ebs.csi.aws.com', 'ebs.csi.eks.amazonaws.com', 'kubernetes.io/aws-ebs'],
  ...['topology.ebs.csi.aws.com/zone', 'topology.ebs.csi.eks.amazonaws.com/zone'],
];

/** Fields and functions that selectors of devices (CEL) use. */
export const SELECTOR_WORDS: ReadonlySet<string> = new Set([
  ...['device', 'driver', 'attributes', 'capacity', 'allowMultipleAllocations', 'cel', 'bind'],
  ...['true', 'false', 'null', 'in', 'has', 'all', 'exists', 'matches', 'startsWith', 'endsWith'],
  ...['contains', 'size', 'quantity', 'semver', 'isGreaterThan', 'isLessThan', 'compareTo', 'orValue'],
]);

/** Words that mean nothing by themselves, and those of our sentences. */
const SENTENCE_WORDS: ReadonlySet<string> = new Set(
  [
    ...Object.values(REASONS).map(([, sentence]) => sentence),
    'pod pods of and or the a an is are was not no its it has since for on with minAvailable',
    'maxUnavailable denied webhook invalid must be from to in at than allowed',
  ].flatMap((sentence) => sentence.split(/[^A-Za-z]+/)),
);

/** Numbers, amounts, shares and times: not names, and decisions compare them. */
const PATTERNS: readonly RegExp[] = [
  /^-?\d{1,8}(\.\d{1,9})?(%|m|k|M|G|T|Ki|Mi|Gi|Ti)?$/,
  /^(\d{1,8}(\.\d+)?(ns|us|ms|s|m|h|d))+$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  /^hugepages-\d+[KMG]i$/,
  // Ids, regions and zones of EC2.
  /^(i|ami|subnet|sg|cr|crg|pg|lt|vpc|vol)-[0-9a-f]{8,17}$/,
  /^(us|eu|ap|sa|ca|me|af|il|mx|cn)(-gov|-isob?)?-(north|south|east|west|central){1,2}-\d[a-z]?$/,
  /^[a-z]{3}[a-z0-9]{1,3}-az\d$/,
  /^[a-z][a-z0-9-]*\d[a-z0-9-]*\.(nano|micro|small|medium|large|x?large|\d{1,2}xlarge|metal(-\d+xl)?)$/,
  // Decisions and their commands.
  /^[a-z]-\d{8}T\d{6}Z-[a-z0-9]{4,8}$/,
];

const STATIC_WORDS: ReadonlySet<string> = new Set([
  '',
  ...KUBERNETES_WORDS,
  ...listSchemaWords([snapshotSchema, ...decisionInputSchemas]),
  ...Object.keys(REASONS),
  ...Object.values(labels).filter((value) => typeof value === 'string'),
  ...labels.WELL_KNOWN_LABELS,
]);

/** The words that a redacted record keeps. */
export interface KeptWords {
  isKept(text: string): boolean;
  /** True for a word between others that is no name. */
  isKeptInSentence(word: string): boolean;
}

/** Collects the words that are not names: those of schemas, facts of EC2, and the names of NodePools. */
export function collectKeptWords(snapshot: ClusterSnapshot): KeptWords {
  const words = new Set(listFacts(snapshot));
  const pools = snapshot.pools.map(({ name }) => name);
  const isOurs = (text: string): boolean => pools.some((pool) => isClaimName(text, pool));
  const isKept = (text: string): boolean =>
    STATIC_WORDS.has(text) || words.has(text) || PATTERNS.some((pattern) => pattern.test(text)) || isOurs(text);
  return { isKept, isKeptInSentence: (word) => SENTENCE_WORDS.has(word) || isKept(word) };
}

function* listFacts({ pools, instanceTypes, offerings }: ClusterSnapshot): Iterable<string> {
  for (const { name, disruption, hours } of pools) {
    yield name;
    const schedules = [...disruption.budgets, ...(hours?.windows ?? [])].map((one) => one.schedule);
    for (const schedule of schedules) if (schedule && parseCron(schedule)) yield schedule;
  }
  for (const { name, labels: own, choices = {}, capacity } of new Set(Object.values(instanceTypes).flat())) {
    yield name;
    yield* Object.keys(capacity);
    for (const key of EC2_LABELS) {
      const value = own[key];
      if (value !== undefined) yield value;
      yield* choices[key] ?? [];
    }
  }
  for (const { zone } of offerings) yield zone;
}

/** Labels whose values EC2 decides. */
const EC2_LABELS: readonly string[] = [...labels.WELL_KNOWN_LABELS].filter(
  (key) => key !== labels.NODEPOOL_LABEL && key !== labels.NODECLASS_LABEL,
);

/**
 * Lists the words that schemas themselves contain: names of fields, members of enums and literals. Keys of
 * records and the values of other strings are data.
 */
function listSchemaWords(schemas: readonly z.ZodType[]): ReadonlySet<string> {
  const words = new Set<string>();
  const visited = new Set<unknown>();
  const waiting: unknown[] = [...schemas];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (visited.has(schema)) continue;
    visited.add(schema);
    for (const word of listOwnWords(schema)) words.add(`${word}`);
    waiting.push(...listInnerSchemas(schema));
  }
  return words;
}

function listOwnWords(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodEnum) return schema.options;
  return schema instanceof z.ZodLiteral ? [...schema.values] : [];
}

function listInnerSchemas(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodTuple) return schema.def.items;
  if (schema instanceof z.ZodUnion) return schema.options;
  return schema instanceof z.ZodExactOptional ? [schema.unwrap()] : [];
}
