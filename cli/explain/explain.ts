import { resolve } from 'node:path';
import type { DecisionToExplain } from '../../shared/explain/decisions.ts';
import { createExplainer, type Explainer } from '../../shared/explain/explain.ts';
import type { Explanation, Subject } from '../../shared/explain/explanation.ts';
import { toObjectName } from '../../shared/model/pods/pod.ts';
import { formatInstant } from '../../shared/model/time.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import { CliError, EXIT, exitCodeOfAll, fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { openSnapshotFile } from '../record/open-snapshot-file.ts';
import { explanationText } from '../render/explanation.ts';
import { chooseSource, type Decided, newestOf } from './choose-source.ts';
import { DOCUMENT_KIND, toDocument } from './explanation-document.ts';
import type { RecordAge } from './live-state.ts';

export interface ExplainRequest extends ClusterChoice {
  readonly subjects: readonly [Subject, ...Subject[]] | 'pending';
  /** Selects pending pods; undefined for all. */
  readonly namespace?: string;
  /** A snapshot file; undefined for a cluster. */
  readonly from?: string;
  /** A moment in the record; undefined for now. */
  readonly at?: number;
  /** True decides on live objects, also if there is a record. */
  readonly live?: boolean;
}

/**
 * Explains objects, or all pending pods, from a snapshot file, the record of a stack, or live
 * objects. Nothing is changed. Of several objects, those that exist are explained.
 *
 * @throws CliError - `not-found`; those of `createControllerRuntime` and `openSnapshotFile`
 */
export async function explain(request: ExplainRequest, invocation: Invocation): Promise<Answer> {
  const decided = await collectDecisions(request, invocation);
  invocation.progress.end();
  const explainer = createExplainer(decided.decisions, decided.reports, {
    ...(request.at !== undefined && { until: request.at }),
    ...(decided.isCurrent && { now: Date.now() }),
  });
  if (!explainer) throw noDecision(decided);
  const at = newestOf(decided);
  invocation.note(`from ${decided.from}, ${formatInstant(at)}`);
  const source = { cluster: decided.cluster, at: formatInstant(at), from: decided.from };
  const { warnings: missing = [], ...answer } =
    request.subjects === 'pending'
      ? answerPending(explainer, request.namespace)
      : answerEach(explainer, request.subjects, decided);
  const { gaps, warnings = [] } = decided;
  return wholeAnswer({
    ...answer,
    source,
    complete: gaps.length === 0 && missing.length === 0,
    warnings: [...warnings, ...gaps, ...missing],
  });
}

async function collectDecisions(request: ExplainRequest, invocation: Invocation): Promise<Decided> {
  const { from, at, live } = request;
  if (from === undefined) {
    if (at !== undefined) return await readRecordAt(request, at, invocation);
    if (live) return await decideLive(request, invocation);
    const now = Date.now();
    return await chooseSource({
      readRecord: () => readRecordIfAny(request, now, invocation),
      compareWithLive: (record) => compareRecord(request, record, invocation),
      decideLive: () => decideLive(request, invocation),
      findLastRecord: () => findLastRecord(request, now, invocation),
      isAnswered: ({ decisions }) => isKnown(request.subjects, decisions),
      now,
    });
  }
  const { cluster, decisions } = await openSnapshotFile(resolve(invocation.io.cwd, from), from);
  const earlier = decisions.filter((one) => at === undefined || one.at <= at);
  return { cluster, decisions: earlier, from, gaps: [] };
}

async function readRecordAt(request: ExplainRequest, at: number, invocation: Invocation): Promise<Decided> {
  const { readDecisionsBefore } = await import('../record/read-record.ts');
  const { cluster, decisions } = await readDecisionsBefore(request, at, invocation);
  const from = `the record of ${cluster}`;
  if (!decisions.some(({ redacted }) => redacted)) return { cluster, decisions, from, gaps: [] };
  const isSame = decisions.every(({ redacted }) => redacted?.samePlan ?? true);
  return {
    ...{ cluster, decisions, gaps: [] },
    isRedacted: true,
    from: `${from}, without names`,
    warnings: isSame ? [] : [OTHER_TIES],
  };
}

const OTHER_TIES =
  'the record has hashes in the place of names: a choice between equal nodes or pods may have been another';

/**
 * Returns undefined if the cluster has no stack, if the stack has made no decision for a day, or if
 * its record does not have the names that users ask for.
 */
async function readRecordIfAny(
  request: ExplainRequest,
  now: number,
  invocation: Invocation,
): Promise<Decided | undefined> {
  try {
    const record = await readRecordAt(request, now, invocation);
    return record.isRedacted ? undefined : record;
  } catch (error) {
    const isMissing = error instanceof CliError && exitCodeOfAll(error.problems) === EXIT.notFound;
    if (isMissing) return undefined;
    throw error;
  }
}

/** Compares the objects in question with those of the newest recorded decision. */
async function compareRecord(request: ExplainRequest, { decisions }: Decided, { io }: Invocation): Promise<RecordAge> {
  const newest = decisions.toSorted((a, b) => b.at - a.at)[0];
  const explainer = createExplainer(decisions);
  if (!newest || !explainer) return 'outdated';
  const { subjects } = request;
  const [{ reachCluster }, { callCluster }, { compareWithLive }] = await Promise.all([
    import('../cluster/reach-cluster.ts'),
    import('../cluster/kubernetes-problems.ts'),
    import('./live-state.ts'),
  ]);
  const { api, where } = await reachCluster(request, {
    clock: { now: () => Date.now() },
    env: io.env,
    needsRegion: false,
    needsNodePools: false,
  });
  const resolved = subjects === 'pending' ? subjects : subjects.map((one) => resolveName(explainer, one));
  return callCluster(where, () => compareWithLive(api, resolved, newest.input.snapshot));
}

/** Finds the last recorded decisions that know all objects in question, which are gone. */
async function findLastRecord(
  request: ExplainRequest,
  now: number,
  invocation: Invocation,
): Promise<Decided | undefined> {
  const { readLastDecision } = await import('../record/read-record.ts');
  const last = await readLastDecision(request, now, invocation, (decision) => isKnown(request.subjects, [decision]));
  return last && { ...last, from: `the record of ${last.cluster}`, gaps: [] };
}

/** All pending pods are known to any decision, named objects only if they existed by then. */
function isKnown(subjects: ExplainRequest['subjects'], decisions: readonly DecisionToExplain[]): boolean {
  const explainer = createExplainer(decisions);
  if (!explainer || subjects === 'pending') return explainer !== undefined;
  return subjects.every((subject) => {
    const { kind, name } = resolveName(explainer, subject);
    return explainer.listNames(kind).includes(name);
  });
}

/** Reads the cluster and makes each kind of decision once. */
async function decideLive(request: ExplainRequest, invocation: Invocation): Promise<Decided> {
  // A file is explained without the clients of AWS, which load slowly.
  const [{ workOnLiveCluster }, { observeAndDecide }] = await Promise.all([
    import('../live/work-on-live-cluster.ts'),
    import('../live/observe-live-cluster.ts'),
  ]);
  const { cluster, gaps, result } = await workOnLiveCluster(request, invocation, observeAndDecide);
  return {
    cluster,
    gaps,
    decisions: result.decisions.flatMap(({ id, at, input }) => (input ? [{ id, at, input }] : [])),
    reports: result.reports,
    from: `live objects of ${cluster}`,
  };
}

type PartialAnswer = Pick<Answer, 'kind' | 'result' | 'names' | 'text'> &
  Pick<Partial<Answer>, 'warnings' | 'exitCode'>;

/** @throws CliError - `not-found`: none of the objects exists */
function answerEach(explainer: Explainer, subjects: readonly [Subject, ...Subject[]], decided: Decided): PartialAnswer {
  const explanations: Explanation[] = [];
  const missing: Subject[] = [];
  for (const subject of subjects) {
    const explanation = explainer.explain(resolveName(explainer, subject));
    if (explanation) explanations.push(explanation);
    else missing.push(subject);
  }
  const [first] = explanations;
  if (!first) throw noSuchObject(explainer, subjects[0], decided);
  if (subjects.length === 1) return answerOne(first);
  return {
    kind: 'Explanations',
    result: { explanations: explanations.map(toDocument) },
    names: explanations.map(({ subject: { kind, name } }) => `${kind}/${name}`),
    text: (terminal) => explanations.map((one) => explanationText(one, terminal)).join('\n'),
    warnings: missing.map((subject) => noSuchObject(explainer, subject, decided).message),
    ...(missing.length > 0 && { exitCode: EXIT.notFound }),
  };
}

function answerOne(explanation: Explanation): PartialAnswer {
  const { kind, name } = explanation.subject;
  return {
    kind: DOCUMENT_KIND[kind],
    result: toDocument(explanation),
    names: [`${kind}/${name}`],
    text: (terminal) => explanationText(explanation, terminal),
  };
}

/** Accepts the first label of a node's name, and a NodeClaim's name for its node. */
function resolveName(explainer: Explainer, subject: Subject): Subject {
  const { kind, name } = subject;
  if (kind !== 'node' || explainer.listNames('node').includes(name)) return subject;
  const matching = explainer.listNames('node').filter((one) => one.startsWith(`${name}.`));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return { kind, name: only };
  return explainer.listNames('nodeclaim').includes(name) ? { kind: 'nodeclaim', name } : subject;
}

/** Explains each group of equal pods once. */
function answerPending(explainer: Explainer, namespace: string | undefined): PartialAnswer {
  const explained = new Set<string>();
  const pods = explainer
    .listPendingPods()
    .filter((name) => namespace === undefined || name.startsWith(`${namespace}/`))
    .flatMap((name) => {
      if (explained.has(name)) return [];
      const explanation = explainer.explain({ kind: 'pod', name });
      for (const equal of explanation?.equalPods ?? []) explained.add(equal);
      return explanation ? [explanation] : [];
    });
  return {
    kind: 'PendingPods',
    result: { pods: pods.map(toDocument) },
    names: pods.flatMap(({ subject, equalPods = [] }) => [subject.name, ...equalPods].map((name) => `pod/${name}`)),
    text: (terminal) =>
      pods.length === 0 ? 'no pod waits\n' : pods.map((pod) => explanationText(pod, terminal)).join('\n'),
  };
}

const KIND_NAMES: Readonly<Record<Subject['kind'], string>> = {
  pod: 'pod',
  node: 'node',
  nodeclaim: 'NodeClaim',
  nodepool: 'NodePool',
};

function noSuchObject(explainer: Explainer, { kind, name }: Subject, { from }: Decided) {
  const names = explainer.listNames(kind);
  // Without -n, the name of a pod is looked up in the namespace default.
  const inOtherNamespace = names.find((one) => toObjectName(one) === toObjectName(name));
  const similar = inOtherNamespace ?? didYouMean(name, names);
  return fail({
    code: 'not-found',
    what: `no ${KIND_NAMES[kind]} ${name}`,
    where: from,
    fix:
      similar === undefined
        ? 'for an object that is gone: --at TIME, when it existed'
        : `did you mean ${similar}, or --at TIME for an object that is gone`,
  });
}

const noDecision = ({ from }: Decided) =>
  fail({
    code: 'not-found',
    what: 'no decision to explain',
    where: from,
    fix: 'a cluster with pods or nodes; with --live the decision is made now',
  });
