import * as z from 'zod';
import type { KarpenterReport } from '../../model/karpenter-report.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import { type ApiResource, EVENTS, NODE_CLAIMS, NODE_POOLS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readKarpenterRenewal } from '../kubernetes-ownership.ts';
import { conditionSchema, instantSchema, type LiveReading } from './live-object.ts';

/** A running Karpenter renews its lease every few seconds. */
const SILENT_MS = MINUTE_MS;
const KARPENTER = 'karpenter';

/**
 * Reads what a running Karpenter says about pods, nodes, NodeClaims and NodePools in its Events, which
 * the API server keeps for an hour, and in conditions. Empty if Karpenter does not run.
 *
 * @see https://karpenter.sh/docs/troubleshooting/
 */
export async function readKarpenterReports(api: KubernetesApi, now: EpochMs): Promise<readonly KarpenterReport[]> {
  const renewedAt = await readKarpenterRenewal(api);
  if (renewedAt === undefined || now > renewedAt + SILENT_MS) return [];
  const [events, claims, pools] = await Promise.all([
    // The Events of a large cluster are many, and few are Karpenter's.
    listReports(api, EVENTS, readEvent, { fieldSelector: `reportingController=${KARPENTER}` }),
    listReports(api, NODE_CLAIMS, readClaimConditions),
    listReports(api, NODE_POOLS, readPoolConditions),
  ]);
  return [...events, ...claims, ...pools].toSorted((a, b) => b.at - a.at);
}

async function listReports(
  api: KubernetesApi,
  resource: ApiResource,
  read: (raw: unknown) => readonly KarpenterReport[],
  filter: Readonly<Record<string, string>> = {},
): Promise<readonly KarpenterReport[]> {
  const readObject = (raw: unknown): LiveReading<readonly KarpenterReport[]> => ({
    outcome: 'read',
    value: read(raw),
  });
  const { parsed } = await listObjects(api, { resource, read: readObject }, filter);
  return [...parsed.values()].flatMap((reading) => (reading.outcome === 'read' ? reading.value : []));
}

const KINDS: Readonly<Partial<Record<string, KarpenterReport['kind']>>> = {
  Pod: 'pod',
  Node: 'node',
  NodeClaim: 'nodeclaim',
  NodePool: 'nodepool',
};

const eventSchema = z.object({
  reason: z.string(),
  note: z.string().default(''),
  reportingController: z.string(),
  regarding: z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() }),
  eventTime: instantSchema.nullish(),
  deprecatedLastTimestamp: instantSchema.nullish(),
  deprecatedCount: z.int().optional(),
  series: z.object({ count: z.int(), lastObservedTime: instantSchema }).nullish(),
});

function readEvent(raw: unknown): readonly KarpenterReport[] {
  const { data } = eventSchema.safeParse(raw);
  const kind = data && KINDS[data.regarding.kind];
  if (!kind || data.reportingController !== KARPENTER) return [];
  const { regarding, series, reason, note } = data;
  return [
    {
      kind,
      name: kind === 'pod' ? `${regarding.namespace}/${regarding.name}` : regarding.name,
      source: 'event',
      reason,
      text: note,
      at: series?.lastObservedTime ?? data.deprecatedLastTimestamp ?? data.eventTime ?? 0,
      count: series?.count ?? data.deprecatedCount ?? 1,
    },
  ];
}

const conditionsSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z.object({ conditions: z.array(conditionSchema).default([]) }).prefault({}),
});
type Condition = z.output<typeof conditionSchema>;

/** These are news when they are true, the others when they are not. */
const DISRUPTIONS: ReadonlySet<string> = new Set(['Drifted', 'DisruptionReason', 'Consolidatable']);

const readClaimConditions = (raw: unknown): readonly KarpenterReport[] =>
  readConditions(raw, 'nodeclaim', ({ type, status }) =>
    DISRUPTIONS.has(type) ? status === 'True' : status !== 'True' && type !== 'Ready',
  );

/** `Ready` only sums the others up. */
const readPoolConditions = (raw: unknown): readonly KarpenterReport[] =>
  readConditions(raw, 'nodepool', ({ type, status }) => status === 'False' && type !== 'Ready');

function readConditions(
  raw: unknown,
  kind: 'nodeclaim' | 'nodepool',
  isNews: (condition: Condition) => boolean,
): readonly KarpenterReport[] {
  const { data } = conditionsSchema.safeParse(raw);
  if (!data) return [];
  return data.status.conditions.filter(isNews).map((condition) => ({
    ...{ kind, name: data.metadata.name, source: 'condition' },
    reason: condition.type,
    text: describeCondition(condition),
    at: condition.lastTransitionTime ?? 0,
    count: 1,
  }));
}

/** The reason repeats the type where Karpenter has no other. */
const describeCondition = ({ type, status, reason, message }: Condition): string =>
  [
    ...(status === 'True' ? [] : [status]),
    ...(reason === type ? [] : [reason]),
    ...(message === '' || message === reason ? [] : [message]),
  ].join(', ');
