import { writeNodePool } from '../../../shared/api/manifests/write-node-pool.ts';
import { createSnapshotExplainer } from '../../../shared/explain/explain.ts';
import type { ExplainedFix } from '../../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { applyFix } from '../../../shared/what-if/apply-fix.ts';
import { poolWithFix } from '../../../shared/what-if/pool-with-fix.ts';
import type { FixRow } from '../../explanation.ts';
import type { ModelFrame } from '../../model-feed.ts';
import type { ProposedFix } from '../../screen-views.ts';
import type { ObjectRef } from '../../views.ts';

/** Outcomes that a change could turn into another. */
const FIXABLE: ReadonlySet<string> = new Set(['pending', 'stays', 'leaving']);

/**
 * Lists the changes that `mortise explain` proposes for the object, as the page shows them.
 */
export const listFixes = (frame: ModelFrame, object: ObjectRef): readonly FixRow[] =>
  findFixes(frame, object).map((fix) => {
    const { patch } = fix;
    const pool = frame.snapshot.pools.find(({ name }) => fix.object === `NodePool/${name}`);
    const changed = pool && !fix.and ? poolWithFix(pool, fix) : undefined;
    const isTriable = !changed && applyFix(frame.snapshot, fix, namespaceOf(object)) !== undefined;
    return {
      text: toSentence(fix),
      ...(patch !== undefined && { patch }),
      ...(changed && { manifest: writeNodePool(changed) }),
      ...(isTriable && { fix: { object, text: toSentence(fix) } }),
    };
  });

/**
 * Applies a change that the page proposed for an object to the snapshot.
 *
 * @returns undefined if it is not proposed any more
 */
export function applyProposedFix(frame: ModelFrame, { object, text }: ProposedFix): ClusterSnapshot | undefined {
  const fix = findFixes(frame, object).find((one) => toSentence(one) === text);
  return fix && applyFix(frame.snapshot, fix, namespaceOf(object));
}

/**
 * A cluster without NodePools has none: those that the console assumes cannot be changed.
 */
function findFixes({ snapshot, commands, assumed }: ModelFrame, { kind, name }: ObjectRef): readonly ExplainedFix[] {
  if (assumed || kind === 'decision') return [];
  const claim = snapshot.claims.find((one) => one.name === name || one.nodeName === name);
  const explainer = createSnapshotExplainer(snapshot, commands);
  const subject = kind !== 'node' || !claim ? { kind, name } : ({ kind: 'nodeclaim', name: claim.name } as const);
  const explanation = explainer.explain(subject);
  return explanation && FIXABLE.has(explanation.outcome) ? explanation.fixes : [];
}

const toSentence = ({ text }: ExplainedFix): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** The namespace of a pod; empty for other objects. */
const namespaceOf = ({ name }: ObjectRef): string => name.slice(0, Math.max(0, name.indexOf('/')));
