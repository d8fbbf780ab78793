import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Confirmation, Decision } from '../../shared/ports/decision-log.ts';
import { createDecisionRedaction } from '../../shared/record/redact-decision.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import type { SnapshotReport } from '../documents/snapshot-report.ts';
import type { Invocation } from '../invocation.ts';
import { observeAndDecide, type ReadingRuntime } from '../live/observe-live-cluster.ts';
import { workOnLiveCluster } from '../live/work-on-live-cluster.ts';
import { snapshotText } from '../render/snapshot-report.ts';
import type { Io } from '../terminal/io.ts';
import { writeOutFile } from '../terminal/write-out-file.ts';
import { DECIDERS } from './deciders.ts';
import { nameSnapshot, packSnapshot } from './pack-snapshot.ts';

export interface SnapshotRequest extends ClusterChoice {
  /** Undefined for a name with the cluster and the time. */
  readonly out?: string;
  /** True replaces an existing file. */
  readonly force: boolean;
  /** `names` writes hashes instead of names. */
  readonly redact: 'none' | 'names';
}

/**
 * Writes what the planner reads of a live cluster to a file, with the decisions that Mortise would
 * make now. Nothing is changed in the cluster or in AWS.
 *
 * @throws CliError - those of `createControllerRuntime`; `file-unreadable`
 */
export async function takeSnapshot(request: SnapshotRequest, invocation: Invocation): Promise<Answer> {
  const {
    cluster,
    gaps,
    result: report,
  } = await workOnLiveCluster(request, invocation, (runtime) =>
    writeSnapshot(runtime, { ...request, cluster: runtime.reached.server.cluster }, invocation.io),
  );
  invocation.progress.end();
  return wholeAnswer({
    kind: 'SnapshotReport',
    source: { cluster },
    complete: gaps.length === 0,
    warnings: gaps,
    result: report,
    names: [`snapshot/${report.file}`],
    text: () => snapshotText(report),
  });
}

/** Reads the cluster, decides on it without acting, and writes the file. */
export async function writeSnapshot(
  runtime: ReadingRuntime,
  request: Pick<SnapshotRequest, 'out' | 'force' | 'redact'> & { readonly cluster: string },
  io: Pick<Io, 'cwd'>,
): Promise<SnapshotReport> {
  const { out, force, redact } = request;
  const cluster = redact === 'names' ? REDACTED_CLUSTER : request.cluster;
  const { decisions: made } = await observeAndDecide(runtime);
  const decisions = redact === 'names' ? redactNames(made) : made;
  const now = Date.now();
  const bytes = await packSnapshot(decisions, cluster, now);
  const file = out ?? nameSnapshot(cluster, now);
  await writeOutFile(resolve(io.cwd, file), bytes, { shown: file, force });
  return summarize(file, bytes.byteLength, decisions);
}

/** The name of the cluster in a redacted file, and in the name of the file. */
const REDACTED_CLUSTER = 'redacted';

type AnyDecision = Decision | Confirmation;

/** Each file has a salt of its own: names of two files cannot be compared. */
const redactNames = (decisions: readonly AnyDecision[]): readonly AnyDecision[] =>
  decisions.map(createDecisionRedaction(randomBytes(16).toString('hex'), DECIDERS));

function summarize(file: string, bytes: number, decisions: readonly AnyDecision[]): SnapshotReport {
  const snapshot = decisions.at(-1)?.input?.snapshot;
  return {
    file,
    bytes,
    decisions: decisions.map(({ id, kind }) => ({ id, kind })),
    pods: snapshot?.pods.length ?? 0,
    nodes: snapshot?.nodes.length ?? 0,
    nodeClaims: snapshot?.claims.length ?? 0,
    nodePools: snapshot?.pools.length ?? 0,
  };
}
