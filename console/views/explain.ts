import { writeNodePool } from '../../shared/api/manifests/write-node-pool.ts';
import type { KnownDecisions } from '../../shared/explain/decisions.ts';
import { createSnapshotExplainer } from '../../shared/explain/explain.ts';
import { explainDecision } from '../../shared/explain/explain-decision.ts';
import type { ExplainedFix, Explanation, Subject } from '../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import { getOrCreate } from '../../shared/model/memo.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import { applyFix } from '../../shared/what-if/apply-fix.ts';
import { poolWithFix } from '../../shared/what-if/pool-with-fix.ts';
import type { ModelFrame } from '../model-feed.ts';
import type { ExplanationView, FixView, ProposedFix } from '../screen-views.ts';
import type { ObjectRef } from '../views.ts';
import { decisionView } from './decision-view.ts';
import { nodeViewNames } from './pods.ts';

/** A frame, and the decisions that were made by then. */
export interface ExplainedFrame extends Pick<KnownDecisions, 'launchOf'> {
  readonly frame: ModelFrame;
  /** Oldest first. */
  readonly decisions: readonly Decision[];
}

export interface Explanations {
  /** @returns undefined if there is no such object */
  explain(object: ObjectRef, explained: ExplainedFrame): ExplanationView | undefined;
  /** @returns undefined if the change is not proposed any more */
  findFix(proposed: ProposedFix, explained: ExplainedFrame): ExplainedFix | undefined;
}

/** Explains objects; an object is explained once in a frame, unless a new plan for pods was made since. */
export function createExplanations(): Explanations {
  const byFrame = new WeakMap<ModelFrame, Map<string, Explanation | undefined>>();
  const explain = ({ kind, name }: ObjectRef, { frame, decisions, launchOf }: ExplainedFrame) => {
    if (kind === 'decision') return undefined;
    const last = frame.assumed ? undefined : decisions.findLast((one) => one.kind === 'provisioning');
    const explanations = getOrCreate(byFrame, frame, () => new Map<string, Explanation | undefined>());
    return getOrCreate(explanations, `${kind}/${name} ${last?.id}`, () =>
      explainIn(frame, { kind, name }, { provisioning: () => last, launchOf }),
    );
  };
  return {
    explain(object, explained) {
      const find = (id: string | undefined): Decision | undefined => explained.decisions.find((one) => one.id === id);
      const { frame } = explained;
      if (object.kind === 'decision') {
        const decision = find(object.name);
        return decision && toView({ ...NOTHING_TO_DO, ...explainDecision(decision) }, { object, frame, decision });
      }
      const explanation = explain(object, explained);
      return explanation && toView(explanation, { object, frame, decision: find(explanation.decision) });
    },
    findFix: ({ object, id }, explained) => explain(object, explained)?.fixes.find((one) => one.id === id),
  };
}

const NOTHING_TO_DO = { reasons: [], fixes: [] } as const;

/**
 * Explains an object as `mortise explain` does. A cluster without NodePools has no fixes: those that the console
 * assumes cannot be changed.
 */
function explainIn(
  { snapshot, commands, assumed, reports = [] }: ModelFrame,
  { kind, name }: Subject,
  made: KnownDecisions,
): Explanation | undefined {
  const isClaim = kind === 'node' && snapshot.claims.some((claim) => claim.name === name);
  const explainer = createSnapshotExplainer(snapshot, commands, { ...made, reports });
  const explanation = explainer.explain({ kind: isClaim ? 'nodeclaim' : kind, name });
  return explanation && assumed ? { ...explanation, fixes: [] } : explanation;
}

interface ViewParts {
  readonly object: ObjectRef;
  readonly frame: ModelFrame;
  readonly decision: Decision | undefined;
}

function toView(
  explanation: Pick<Explanation, 'verdict' | 'reasons' | 'evidence' | 'fixes'> & Partial<Explanation>,
  { object, frame: { snapshot }, decision }: ViewParts,
): ExplanationView {
  const { verdict, outcome, evidence, next, alternative, fixes } = explanation;
  const viewNames = nodeViewNames(snapshot);
  const subject = { ...object, name: viewNames.get(object.name) ?? object.name };
  const reasons = explanation.reasons.map((one) => ({
    ...{ object: one.object, code: one.reason.code, text: formatReason(one.reason) },
  }));
  const objects = findNamed(
    [
      ...[verdict, next?.text ?? '', ...fixes.map(({ text }) => text)],
      ...reasons.flatMap((one) => [one.object, one.text]),
      ...evidence.flatMap(({ label, text }) => [label, text]),
    ],
    snapshot,
  ).filter(({ name }) => name !== subject.name);
  const nodes = objects.flatMap(({ kind, name }) => (kind === 'node' ? (viewNames.get(name) ?? []) : []));
  return {
    ...{ subject, verdict, reasons, evidence, objects },
    ...(outcome && { outcome }),
    ...(next && { next }),
    ...(alternative && { alternative }),
    fixes: fixes.map((fix) => toFixView(fix, snapshot, object)),
    ...(decision && { decision: decisionView(decision) }),
    nodes: [...new Set(nodes)].filter((name) => name !== subject.name),
  };
}

/** Finds the objects that texts name. The name of a NodePool may be any word: it stands alone, or after its kind. */
function findNamed(texts: readonly string[], { claims, nodes, pods, pools }: ClusterSnapshot): readonly ObjectRef[] {
  const words = new Set(texts.flatMap((text) => text.split(/[^\w./-]+/)).map((word) => word.replace(/\.$/, '')));
  const isPool = (name: string) => texts.some((text) => text === name || text.includes(`NodePool ${name}`));
  const list = (kind: ObjectRef['kind'], names: readonly string[]): readonly ObjectRef[] =>
    names.filter((name) => words.has(name)).map((name) => ({ kind, name }));
  const nodeNames = [
    ...claims.flatMap(({ name, nodeName = name }) => [name, nodeName]),
    ...nodes.map(({ name }) => name),
  ];
  return [
    ...list('node', [...new Set(nodeNames)]),
    ...list('pod', pods.map(podKey)),
    ...list('nodepool', pools.map(({ name }) => name).filter(isPool)),
  ];
}

function toFixView(fix: ExplainedFix, snapshot: ClusterSnapshot, object: ObjectRef): FixView {
  const { id, text, patch } = fix;
  const pool = snapshot.pools.find(({ name }) => fix.object === `NodePool/${name}`);
  const changed = pool && !fix.and ? poolWithFix(pool, fix) : undefined;
  return {
    ...{ id, text },
    ...(patch !== undefined && { patch }),
    ...(changed && { manifest: writeNodePool(changed) }),
    isTriable: !changed && applyFix(snapshot, fix, namespaceOf(object)) !== undefined,
  };
}

/** The namespace of a pod; empty for other objects. */
export const namespaceOf = ({ name }: ObjectRef): string => name.slice(0, Math.max(0, name.indexOf('/')));

/** True if the object exists in the frame. */
export function knowsObject({ snapshot }: ModelFrame, { kind, name }: ObjectRef): boolean {
  if (kind === 'pod') return snapshot.pods.some((pod) => podKey(pod) === name);
  if (kind === 'node') return nodeViewNames(snapshot).has(name);
  return kind === 'nodepool' && snapshot.pools.some((pool) => pool.name === name);
}
