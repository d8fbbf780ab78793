import { describe, expect, it } from 'vitest';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { Commitment } from '../../../shared/model/offerings/commitment.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import {
  aFleet,
  type Decision,
  decide,
  type FleetNode,
  findStayReason,
  onDemand,
  priced,
  TYPES,
  web,
} from '../fleet.ts';

const committed = (instanceType: string, amount: number): Commitment => ({
  id: 'ri-1',
  unit: 'instances',
  amount,
  instanceType,
});
const decideWith = (nodes: readonly FleetNode[], ...commitments: readonly Commitment[]): Decision =>
  decide(
    aFleet(nodes, {
      settings: { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any', commitments },
    }),
  );

const full = { name: 'full', type: 'large', pods: [web('heavy', 6)] };

describe('consolidation with commitments', () => {
  it('keeps a node that a commitment pays for, and says so', () => {
    const nodes = [{ name: 'paid', pods: [web('p', 1)] }, full];
    const decision = decideWith(nodes, committed('small', 1));
    const [verdict] = decision.verdicts.filter(({ claim }) => claim === 'paid');

    expect(decideWith(nodes).gone).toEqual(['paid']);
    expect(decision.gone).toEqual([]);
    expect(verdict && formatReason(verdict.reason)).toBe(
      'ri-1 pays for it, whether it runs or not: to remove it saves nothing',
    );
  });

  it('removes the youngest node beyond the commitment', () => {
    const nodes = [
      { name: 'old', pods: [web('p', 1)], claim: { createdAt: NOON - 3 * HOUR_MS } },
      { name: 'young', pods: [web('q', 1)], claim: { createdAt: NOON - 2 * HOUR_MS } },
      full,
    ];
    const decision = decideWith(nodes, committed('small', 1));

    expect(decision.gone).toEqual(['young']);
    expect(findStayReason(decision, 'old')).toBe('paid-by-commitment');
  });

  it('replaces a node by one that a commitment pays for', () => {
    const nodes = [{ name: 'a', type: 'small', pods: [web('p', 1.5)] }];

    expect(decideWith(nodes).gone).toEqual([]);
    expect(decideWith(nodes, committed('medium', 1)).replacedBy).toEqual(['medium']);
  });

  it('replaces a spot node by one that a commitment pays for', () => {
    const offerings = [...TYPES.flatMap((type) => onDemand(type)), priced('small', 'spot', 'us-east-1a', 0.03)];
    const nodes: FleetNode[] = [{ name: 'a', capacityType: 'spot', pods: [web('p', 1.5)] }];
    const settings = {
      ...DEFAULT_SETTINGS,
      consolidationPaybackMs: 'Any' as const,
      commitments: [committed('medium', 1)],
    };

    expect(decide(aFleet(nodes, { offerings, settings })).replacedBy).toEqual(['medium']);
  });

  it('replaces nothing by a commitment that is used up', () => {
    const nodes = [
      { name: 'a', pods: [web('p', 1.5)] },
      { name: 'b', type: 'medium', pods: [web('q', 3.5)] },
    ];

    expect(decideWith(nodes, committed('medium', 1)).gone).toEqual([]);
  });
});
