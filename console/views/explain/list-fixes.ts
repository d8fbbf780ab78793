import { writeNodePool } from '../../../shared/api/manifests/write-node-pool.ts';
import { createSnapshotExplainer } from '../../../shared/explain/explain.ts';
import type { FixRow } from '../../explanation.ts';
import type { ModelFrame } from '../../model-feed.ts';
import type { ObjectRef } from '../../views.ts';
import { poolWithFix } from '../../what-if/pool-with-fix.ts';

/** Outcomes that a change could turn into another. */
const FIXABLE: ReadonlySet<string> = new Set(['pending', 'stays']);

/**
 * Lists the changes that `mortise explain` proposes for the object. A cluster without NodePools has
 * none: those that the console assumes cannot be changed.
 */
export function listFixes(
  { snapshot, commands, assumed }: ModelFrame,
  { kind, name }: ObjectRef,
): readonly FixRow[] {
  if (assumed || kind === 'decision') return [];
  const claim = snapshot.claims.find((one) => one.name === name || one.nodeName === name);
  const explainer = createSnapshotExplainer(snapshot, commands);
  const subject =
    kind !== 'node' || !claim ? { kind, name } : ({ kind: 'nodeclaim', name: claim.name } as const);
  const explanation = explainer.explain(subject);
  if (!explanation || !FIXABLE.has(explanation.outcome)) return [];
  return explanation.fixes.map((fix) => {
    const { text, patch } = fix;
    const pool = snapshot.pools.find((one) => fix.object === `NodePool/${one.name}`);
    const changed = pool && poolWithFix(pool, fix);
    return {
      text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
      ...(patch !== undefined && { patch }),
      ...(changed && { manifest: writeNodePool(changed) }),
    };
  });
}
