import type { Unit } from '../../assignment/pod-groups.ts';
import { grow } from '../../packing/new-nodes/growth.ts';
import { cheapestType } from '../../packing/new-nodes/packing-state.ts';
import { repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { Trial } from '../evaluation/evaluate-packing.ts';
import type { Theatre } from '../evaluation/simulation-context.ts';
import type { Displaced } from '../scheduler-model/simulate-binding.ts';
import type { Lot } from '../seeded-random.ts';
import { withPodsLeft } from './leave-pods.ts';
import { withMerged, withoutNodes } from './remove-nodes.ts';
import { otherSizes } from './resize-nodes.ts';
import { withNodesFor, withSmallNodesFor } from './separate-nodes.ts';

/** A packing that differs a little from the one that was tried, drawn by lot; undefined: none. */
type Move = (
  theatre: Theatre,
  trial: Trial,
  units: readonly Unit[],
  lot: Lot,
) => Packing | undefined;

/** Nodes of their own for those that one order displaces, or for some of them. */
const ownNodes: Move = (_, trial, units, lot) =>
  withNodesFor(trial, draw(hardOrders(trial), lot) ?? [], units, lot() < 0.5 ? 1 : lot());

/** More room for a displaced class, on any of the hosts that suit it or on some. */
const largerTypes: Move = ({ problem }, { packing, hosts, ...trial }, _, lot) => {
  const { drafting } = packing;
  const displaced = someDisplaced(trial, lot);
  if (!displaced) return undefined;
  const copies = new Map(drafting.drafts.map((draft) => [draft, { ...draft }]));
  const suiting = displaced.hosts.flatMap((number) => hosts[number]?.draft ?? []);
  const some = lot() < 0.5 ? suiting : suiting.filter(() => lot() < 0.4);
  const growing = some.flatMap((draft) => copies.get(draft) ?? []);
  if (!grow(displaced.cls, Math.ceil(displaced.pods * lot()), growing, problem)) return undefined;
  return repriced(packing, { ...drafting, drafts: [...copies.values()] });
};

/** What one node may cost more than before, as a share of the packing's price. */
const MOST_DEARER = 0.15;

/** Another size for one node. */
const otherSize: Move = (theatre, { packing }, _, lot) =>
  resized(theatre, packing, packing.hourlyUsd * MOST_DEARER, lot);

const smallerSize: Move = (theatre, { packing }, _, lot) => resized(theatre, packing, 0, lot);

function resized(
  { problem }: Theatre,
  packing: Packing,
  mostMoreUsd: number,
  lot: Lot,
): Packing | undefined {
  const { drafting } = packing;
  const number = Math.floor(lot() * drafting.drafts.length);
  const sized = draw(otherSizes(drafting, number, mostMoreUsd, problem), lot);
  if (!sized) return undefined;
  return repriced(packing, { ...drafting, drafts: drafting.drafts.with(number, sized) });
}

/** Two nodes made one. */
const merged: Move = (_, { packing }, __, lot) => {
  const { length } = packing.drafting.drafts;
  return withMerged(packing, Math.floor(lot() * length), Math.floor(lot() * length));
};

/** The pods of one node or of two go elsewhere. */
const dissolved: Move = (_, { packing }, __, lot) => {
  const { length } = packing.drafting.drafts;
  const numbers = Array.from({ length: lot() < 0.5 ? 1 : 2 }, () => Math.floor(lot() * length));
  return withoutNodes(packing, new Set(numbers), {
    join: lot() < 0.5,
    perNodeUsd: lot() < 0.5 ? packing.drafting.problem.perNodeUsd : lot() * MOST_PER_NODE_USD,
  });
};

const MOST_PER_NODE_USD = 0.5;

/** A displaced class among itself. */
const smallNodes: Move = ({ problem }, { packing, ...trial }, units, lot) => {
  const displaced = someDisplaced(trial, lot);
  const most = 1 + Math.floor(lot() * MOST_TOGETHER);
  return displaced && withSmallNodesFor(displaced.cls, most, packing, units, problem);
};

const MOST_TOGETHER = 5;

/** A node in another zone, where a rule leaves the displaced no host at all. */
const otherZone: Move = ({ problem }, { packing, ...trial }, _, lot) => {
  const displaced = someDisplaced(trial, lot);
  if (!displaced || displaced.hosts.length > 0) return undefined;
  const { drafting } = packing;
  const number = Math.floor(lot() * drafting.drafts.length);
  const chosen = drafting.drafts[number];
  if (!chosen) return undefined;
  const { where } = chosen;
  const zones = draw(zonesOf(where.zones), lot) ?? where.zones;
  const draft = { ...chosen, where: { ...where, zones } };
  if (zones === where.zones || cheapestType(draft, problem).hourlyUsd === Infinity)
    return undefined;
  return repriced(packing, { ...drafting, drafts: drafting.drafts.with(number, draft) });
};

/** Each of the zones alone, as a set of one. */
const zonesOf = (zones: number): number[] =>
  Array.from({ length: 31 }, (_, bit) => 2 ** bit).filter((bit) => (zones & bit) !== 0);

/** No promise for some of the displaced, where no node is to be had for them. */
const leftOut: Move = ({ mostLeft }, { packing, ...trial }, units, lot) => {
  const most = mostLeft - packing.leftPods;
  const displaced = someDisplaced(trial, lot);
  if (most <= 0 || !displaced) return undefined;
  return withPodsLeft(packing, displaced, units, Math.min(most, pods(displaced, lot)));
};

const pods = (displaced: Displaced, lot: Lot): number =>
  Math.max(1, Math.floor(lot() * displaced.pods));

/** Each is as likely as the others; to make room is what helps most often. */
export const MOVES: readonly Move[] = [
  ...[ownNodes, largerTypes, largerTypes, otherSize, smallerSize, merged, dissolved, smallNodes],
  ...[otherZone, leftOut],
];

/** A class that one of the hard orders displaces. */
const someDisplaced = (trial: Pick<Trial, 'displaced'>, lot: Lot): Displaced | undefined =>
  draw(draw(hardOrders(trial), lot) ?? [], lot);

const hardOrders = ({ displaced }: Pick<Trial, 'displaced'>): (readonly Displaced[])[] =>
  [...displaced.values()].filter(({ length }) => length > 0);

const draw = <T>(all: readonly T[], lot: Lot): T | undefined => all[Math.floor(lot() * all.length)];
