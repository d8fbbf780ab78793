import type { Unit } from '../../assignment/pod-groups.ts';
import { grow } from '../../packing/new-nodes/growth.ts';
import type { Draft } from '../../packing/new-nodes/packing-state.ts';
import { repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { Trial } from '../evaluation/evaluate-packing.ts';
import type { Theatre } from '../evaluation/simulation-context.ts';
import type { Displaced } from '../scheduler-model/simulate-binding.ts';
import { withFewerNodes } from './remove-nodes.ts';
import { withNodesFor } from './separate-nodes.ts';

/** Room is made for a part of the displaced, or for all: often a part is enough for the others too. */
const PARTS = [1 / 3, 1];

/** Packings with more room, or with fewer nodes to be spread over, than the one that was tried. */
export function* remedies(
  theatre: Theatre,
  trial: Trial,
  units: readonly Unit[],
): Generator<Packing> {
  for (const order of extremesOf(trial)) {
    const own = withNodesFor(trial, order, units);
    if (own) yield own;
  }
  for (const part of PARTS) {
    const grown = withLargerTypes(trial, part, theatre);
    if (grown) yield grown;
  }
  yield* withFewerNodes(trial.packing, theatre.problem);
}

/** The order that displaces most, and the one that displaces fewest. */
function extremesOf({ displaced }: Trial): (readonly Displaced[])[] {
  const byPods = [...displaced.values()]
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => podsOf(b) - podsOf(a));
  const ends = [byPods[0], byPods.at(-1)].filter((one) => one !== undefined);
  return ends.filter((one, index) => index === 0 || podsOf(one) < podsOf(ends[0] ?? []));
}

const podsOf = (all: readonly Displaced[]): number =>
  all.reduce((total, { pods }) => total + pods, 0);

function withLargerTypes(trial: Trial, part: number, { problem }: Theatre): Packing | undefined {
  const { drafting } = trial.packing;
  const copies = new Map(drafting.drafts.map((draft) => [draft, { ...draft }]));
  const made = mostInAnyOrder(trial).map(([cls, pods]) => {
    const suiting = draftsLackingRoom(trial, cls).flatMap((draft) => copies.get(draft) ?? []);
    return grow(cls, Math.ceil(pods * part), suiting, problem);
  });
  if (!made.includes(true)) return undefined;
  return repriced(trial.packing, { ...drafting, drafts: [...copies.values()] });
}

function mostInAnyOrder({ displaced }: Trial): (readonly [PodClass, number])[] {
  const most = new Map<PodClass, number>();
  for (const { cls, pods } of [...displaced.values()].flat())
    most.set(cls, Math.max(pods, most.get(cls) ?? 0));
  return [...most];
}

function draftsLackingRoom({ displaced, hosts }: Trial, wanted: PodClass): Draft[] {
  const numbers = new Set(
    [...displaced.values()].flat().flatMap(({ cls, hosts }) => (cls === wanted ? hosts : [])),
  );
  return [...numbers].flatMap((number) => hosts[number]?.draft ?? []);
}
