import { createSnapshotExplainer } from '../../../shared/explain/explain.ts';
import type { FixRow } from '../../explanation.ts';
import type { ModelFrame } from '../../model-feed.ts';
import type { ObjectRef } from '../../views.ts';

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
  if (assumed) return [];
  const claim = snapshot.claims.find((one) => one.name === name || one.nodeName === name);
  const explainer = createSnapshotExplainer(snapshot, commands);
  const subject =
    kind === 'pod' || !claim ? { kind, name } : ({ kind: 'nodeclaim', name: claim.name } as const);
  const explanation = explainer.explain(subject);
  if (!explanation || !FIXABLE.has(explanation.outcome)) return [];
  return explanation.fixes.map(({ text, patch }) => ({
    text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    ...(patch !== undefined && { patch }),
  }));
}
