import type { AssignedBatch } from '../../assignment/assign-batch.ts';
import type { Unit } from '../../assignment/pod-groups.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { packFirstFit } from '../../packing/constructions/first-fit.ts';
import { packEvenly } from '../../packing/constructions/pack-evenly.ts';
import { gatherings } from '../../packing/constructions/zone-gatherings.ts';
import { type Construction, type Packing, pack } from '../../packing/packing.ts';
import { type Trial, tryOut, upToDate } from '../evaluation/evaluate-packing.ts';
import { type Theatre } from '../evaluation/simulation-context.ts';

/** A packing that was tried, and the units that it was made of. */
export interface Line {
  readonly units: readonly Unit[];
  readonly trial: Trial;
}

/** Per-node costs, in USD per hour, to pack as if under: each gives fewer and larger nodes. */
const AS_IF_USD = [0.02, 0.05, 0.15, 0.5, 2];

const CONSTRUCTIONS: readonly Construction[] = [
  packFirstFit,
  packEvenly,
  ...AS_IF_USD.map(
    (usd): Construction =>
      (drafting, units) =>
        packByPrice(drafting, units, usd),
  ),
];

/** Packings made in several ways, none too dear, the most promising first. */
export function linesOf(theatre: Theatre, { problem, units }: AssignedBatch, start: Line): Line[] {
  const lines = [start];
  const rehearseIt = (packing: Packing, of: readonly Unit[]): void => {
    if (packing.leftPods > start.trial.packing.leftPods) return;
    const trial = tryOut(theatre, packing);
    if (trial) lines.push({ units: of, trial });
  };
  for (const gathered of gatherings(problem, units)) {
    for (const construct of CONSTRUCTIONS) {
      if (theatre.budget.isExhausted()) break;
      const packing = pack(problem, gathered, construct);
      if (packing.hourlyUsd <= theatre.mostUsd) rehearseIt(packing, gathered);
    }
  }
  return ranked(theatre, lines);
}

/** With what they come to in all orders that tell by now, the most promising first. */
export const ranked = (theatre: Theatre, lines: readonly Line[]): Line[] =>
  lines
    .map((line) => ({ ...line, trial: upToDate(theatre, line.trial) }))
    .toSorted((a, b) => a.trial.costUsd - b.trial.costUsd);
