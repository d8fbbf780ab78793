import type { Template } from '../../instance-types/node-claim-templates.ts';
import type { Choice, Refusal } from './by-weight.ts';
import { type Draft, type Drafting, discardDraft, openDraft } from '../new-nodes/packing-state.ts';
import { putOn } from '../new-nodes/joining.ts';
import { areChoosy, podsOf, type Shape } from './pod-shapes.ts';

/** Pods that are to share a node. */
type NodeContents = ReadonlyMap<Shape, number>;

/**
 * Opens as many nodes with these contents as there are pods for.
 *
 * @returns who could not be put on the first of them, if nobody could
 */
export function openNodes(
  drafting: Drafting,
  template: Template,
  contents: NodeContents,
): readonly Refusal[] {
  // They come first: rules on the host count those who are there already.
  const entries = [...contents].toSorted(([a], [b]) => Number(areChoosy(b)) - Number(areChoosy(a)));
  const nodes = Math.min(...entries.map(([{ count }, pods]) => Math.floor(count / pods)));
  let opened = 0;
  while (opened < nodes && openNode(drafting, template, entries)) opened += 1;
  for (const [shape] of entries) shape.count = podsOf(shape.members);
  return opened > 0 ? [] : entries.flatMap(([shape]) => refusalsOf(shape, template));
}

function refusalsOf({ members }: Shape, template: Template): Refusal[] {
  return members.flatMap(({ unit, options }) => {
    const option = options.find((one) => one.template === template);
    return option && unit.count > 0 ? [{ unit, option }] : [];
  });
}

/** @returns whether any pod came onto it */
function openNode(
  drafting: Drafting,
  template: Template,
  entries: readonly (readonly [Shape, number])[],
): boolean {
  const first = entries.flatMap(([{ members }]) => members).find(({ unit }) => unit.count > 0);
  const option = first?.options.find((one) => one.template === template);
  const draft = option && openDraft(drafting, option);
  if (!draft) return false;
  for (const [{ members }, pods] of entries) putInTurn(drafting, draft, members, pods);
  if (draft.contents.size === 0) discardDraft(drafting, draft);
  return draft.contents.size > 0;
}

/** Pods of one shape are taken from its units in their order. */
function putInTurn(
  drafting: Drafting,
  draft: Draft,
  members: readonly Choice[],
  most: number,
): void {
  let left = most;
  for (const { unit } of members) {
    if (left === 0) return;
    if (unit.count > 0) left -= putOn(drafting, draft, unit, Math.min(left, unit.count));
  }
}
