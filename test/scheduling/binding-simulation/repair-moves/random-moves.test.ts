import { describe, expect, it } from 'vitest';
import { tryOut } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { MOVES } from '../../../../shared/scheduling/binding-simulation/repair-moves/random-moves.ts';
import { otherSizes } from '../../../../shared/scheduling/binding-simulation/repair-moves/resize-nodes.ts';
import { lotOf } from '../../../../shared/scheduling/binding-simulation/seeded-random.ts';
import { repriced } from '../../../../shared/scheduling/packing/new-nodes/spare-room.ts';
import type { Packing } from '../../../../shared/scheduling/packing/packing.ts';
import { aCluster, asking, several, stepTypes } from '../../fixture.ts';
import { podsByClass, type Rehearsed, rehearsed } from '../evaluated-packing.ts';

const cluster = aCluster({
  types: stepTypes(32),
  pods: [
    ...several(20, 'small', { requests: asking(0.5, 1) }),
    ...several(4, 'large', { requests: asking(6, 3) }),
    ...several(4, 'rich', { requests: asking(1, 9) }),
  ],
});

/** Packed by price, but for the first node, which is larger than it has to be. */
function withRoom(): Rehearsed {
  const { theatre, trial, units } = rehearsed(cluster);
  const { packing } = trial;
  const { drafting } = packing;
  const [larger] = otherSizes(drafting, 0, 0.5, theatre.problem);
  if (!larger) throw new Error('there is a larger type');
  const drafts = drafting.drafts.with(0, larger);
  const roomy = tryOut(theatre, repriced(packing, { ...drafting, drafts }));
  return { theatre, trial: roomy ?? trial, units };
}

describe('a move', () => {
  const { theatre, trial, units } = withRoom();
  const lot = lotOf(1);
  const outcomes = MOVES.map((move) =>
    Array.from({ length: 40 }, () => move(theatre, trial, units, lot)),
  );

  it('leads somewhere, each of them that needs neither zones nor limits', () => {
    const leading = outcomes.filter((packings) => packings.some(Boolean));

    expect(leading).toHaveLength(MOVES.length - 2);
  });

  it('neither loses pods nor adds any', () => {
    const before = podsByClass(trial.packing.drafting);

    for (const { drafting } of packingsOf(outcomes)) expect(podsByClass(drafting)).toEqual(before);
  });

  it('leaves each draft a type that holds what is on it', () => {
    const { index } = theatre.problem;
    for (const { drafting } of packingsOf(outcomes)) {
      for (const { types, used } of drafting.drafts) {
        const roomiest = index.roomiest(types);
        expect(used.every((amount, column) => amount <= (roomiest[column] ?? 0))).toBe(true);
      }
    }
  });

  it('changes a copy: the packing that was tried stays as it is', () => {
    const { trial: again } = withRoom();

    expect(trial.packing.hourlyUsd).toBe(again.packing.hourlyUsd);
    expect(trial.packing.drafting.drafts.map(({ used }) => used)).toEqual(
      again.packing.drafting.drafts.map(({ used }) => used),
    );
  });
});

const packingsOf = (outcomes: readonly (readonly (Packing | undefined)[])[]): Packing[] =>
  outcomes.flat().filter((packing) => packing !== undefined);
