import { S3Client } from '@aws-sdk/client-s3';
import { s3RecordSource } from '../../shared/aws/s3-record-source.ts';
import { DAY_MS, formatInstant, HOUR_MS } from '../../shared/model/time.ts';
import { type DecisionRecord, openDecisionRecord } from '../../shared/record/decision-record.ts';
import { UnreadableRecordError } from '../../shared/record/errors.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { callAws } from '../cluster/aws-problems.ts';
import { findStack } from '../cluster/find-stack.ts';
import { type ClusterChoice, reachCluster } from '../cluster/reach-cluster.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';

/** The record in the bucket of a cluster's stack. */
export interface StackRecord {
  readonly cluster: string;
  readonly bucket: string;
  readonly record: DecisionRecord;
}

/**
 * Opens the record of the stack that serves the cluster.
 *
 * @throws CliError - `not-found`: the cluster has no stack; those of `reachCluster` and `findStack`
 */
export async function openStackRecord(choice: ClusterChoice, { io }: Pick<Invocation, 'io'>): Promise<StackRecord> {
  const { cluster, region } = await findClusterName(choice, io.env);
  const settings = toClientSettings({ ...choice, ...(region !== undefined && { region }) });
  const stack = await findStack(cluster, settings);
  if (!stack) {
    throw fail({
      code: 'not-found',
      what: `${cluster} has no stack, so there is no record of its decisions`,
      where: 'CloudFormation',
      fix: 'mortise snapshot writes the decisions of this moment to a file',
    });
  }
  const { bucket } = stack;
  const source = s3RecordSource(new S3Client(settings), bucket);
  const record = openDecisionRecord({
    list: (prefix) => callAws(`bucket ${bucket}`, () => source.list(prefix)),
    read: (path) => callAws(`bucket ${bucket}`, () => source.read(path)),
  });
  return { cluster, bucket, record };
}

/** The name of a stack derives from the cluster's; its API server is asked only if it is needed. */
async function findClusterName(
  choice: ClusterChoice,
  env: Invocation['io']['env'],
): Promise<{ readonly cluster: string; readonly region?: string }> {
  if (choice.cluster !== undefined) return { cluster: choice.cluster };
  const clock = { now: () => Date.now() };
  // A record can exist without NodePools; the caller decides whether it needs them.
  const { server } = await reachCluster(choice, { clock, env, needsNodePools: false });
  return { cluster: server.cluster, region: server.region };
}

/**
 * Reads a decision.
 *
 * @throws CliError - `not-found`; `snapshot-version` and `file-unreadable`: it cannot be read
 */
export async function readRecordedDecision(
  { record, bucket, cluster }: StackRecord,
  id: string,
): Promise<ReadDecision> {
  try {
    const decision = await record.find(id);
    if (decision) return decision;
  } catch (cause) {
    if (!(cause instanceof UnreadableRecordError)) throw cause;
    const code = cause.path === 'apiVersion' ? 'snapshot-version' : 'file-unreadable';
    const what = `cannot read decision ${id}`;
    throw fail({ code, what, where: bucket, why: cause.message }, { cause });
  }
  throw fail({
    code: 'not-found',
    what: `no decision ${id}`,
    where: `the record of ${cluster}, ${bucket}`,
    fix: 'ids are those of the log line "decided"; records expire after 30 days by default',
  });
}

/** The newest decision of a kind may be from the day before. */
const LOOK_BACK_MS = DAY_MS;

/**
 * Reads the last plan for pods and the last plan of removals before a moment.
 *
 * @throws CliError - `record-expired`: there is none; those of `openStackRecord`
 */
export async function readDecisionsBefore(
  choice: ClusterChoice,
  at: number,
  invocation: Invocation,
): Promise<{ readonly cluster: string; readonly decisions: readonly ReadDecision[] }> {
  invocation.progress.report('reading the record');
  const stack = await openStackRecord(choice, invocation);
  const ids = await stack.record.list(at - LOOK_BACK_MS, at);
  const last = ['p-', 'd-'].flatMap((kind) => ids.findLast((id) => id.startsWith(kind)) ?? []);
  if (last.length === 0) {
    throw fail({
      code: 'record-expired',
      what: `no decision in the day before ${formatInstant(at)}`,
      where: `the record of ${stack.cluster}, ${stack.bucket}`,
      fix: 'another --at, or none for a decision on the cluster as it is now',
    });
  }
  const decisions = await Promise.all(last.map((id) => readRecordedDecision(stack, id)));
  return { cluster: stack.cluster, decisions };
}

/** Each decision is a request or more. */
const MAX_READ_BACK = 20;

/**
 * Reads back from `before` to the last decision that `isAbout` accepts, at most an hour and 20 decisions.
 *
 * @returns undefined if there is none; names are hashes in a redacted record
 * @throws CliError - those of `openStackRecord`
 */
export async function readLastDecision(
  choice: ClusterChoice,
  before: number,
  invocation: Invocation,
  isAbout: (decision: ReadDecision) => boolean,
): Promise<{ readonly cluster: string; readonly decisions: readonly ReadDecision[] } | undefined> {
  invocation.progress.report('reading the record');
  const stack = await openStackRecord(choice, invocation);
  const ids = await stack.record.list(before - HOUR_MS, before);
  for (const id of ids.toReversed().slice(0, MAX_READ_BACK)) {
    const decision = await readRecordedDecision(stack, id);
    if (isAbout(decision)) return { cluster: stack.cluster, decisions: [decision] };
  }
  return undefined;
}
