import { describe, expect, it } from 'vitest';
import { explainDecision } from '../../shared/explain/explain-decision.ts';
import type { DisruptionCommand, NodeVerdict } from '../../shared/model/plans.ts';
import { aDisruption, anUnplaced, aPlannedClaim, aProvisioning } from '../console/support/decisions.ts';
import { NOON } from '../support/builders.ts';

const aCommand = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  ...{ id: 'c-1', reason: 'Underutilized', decidedAt: NOON },
  ...{ candidates: ['general-1'], replacements: [], placements: [], savingHourlyUsd: 0.1 },
  ...over,
});

describe('the explanation of a decision for pending pods', () => {
  it('sums up the launches, the pods with room and those that stay pending, and names each', () => {
    const decision = aProvisioning({
      claims: [aPlannedClaim({ pods: ['default/web-1', 'default/web-2'] })],
      placements: [{ target: 'ip-1', pods: ['default/web-3'] }],
      unplaced: [anUnplaced({ pods: ['ml/train-1'] })],
    });

    expect(explainDecision(decision)).toEqual({
      verdict: '1 node is launched for 2 pods, 1 pod has room on nodes that exist, 1 pod stays pending',
      evidence: [
        {
          label: 'launches',
          text: 'general-1, m7i.large on-demand us-east-1a, $0.1008/h, for 2 pods of default/web',
        },
        { label: 'room', text: 'default/web-3 on ip-1' },
        {
          label: 'pending',
          text: 'ml/train-1: general: cpu 48 of 48 in use; smallest fitting node m7i.large adds 2',
        },
      ],
    });
  });

  it('says which share of the new nodes and their pods is on the largest spot offering', () => {
    const spot = { ...aPlannedClaim().cheapest, capacityType: 'spot' } as const;
    const decision = aProvisioning({
      claims: [
        aPlannedClaim({ pods: ['default/web-1', 'default/web-2'], cheapest: spot }),
        aPlannedClaim({ pods: ['default/web-3'], cheapest: spot }),
        aPlannedClaim({ pods: ['default/web-4'], cheapest: { ...spot, zone: 'us-east-1b' } }),
        aPlannedClaim({ pods: ['default/web-5'] }),
      ],
    });

    expect(explainDecision(decision).evidence).toContainEqual({
      label: 'spot',
      text: '2 of 4 nodes and 3 of 5 pods are on m7i.large spot us-east-1a',
    });
  });

  it('says that no pod needs a node if there was nothing to do', () => {
    expect(explainDecision(aProvisioning({}))).toEqual({ verdict: 'no pod needs a node', evidence: [] });
  });
});

describe('the explanation of a decision about removals', () => {
  it('names the nodes that go, the saving and the evictions', () => {
    const price = { evictions: 2, costUsd: 0.03, paybackMs: 18 * 60_000 };

    expect(explainDecision(aDisruption({ command: aCommand({ price }), surplus: ['general-2'] }))).toEqual({
      verdict: '1 node is removed, which saves $0.1000/h',
      evidence: [
        { label: 'removes', text: 'general-1: Underutilized, 2 evictions' },
        { label: 'surplus', text: 'new pods are to prefer other nodes than general-2' },
      ],
    });
  });

  it('groups the nodes that stay by their reason, the largest group first', () => {
    const saves = { code: 'saves-too-little', fields: { savingUsd: '0.01', wantedUsd: '0.02' } } as const;
    const young = { code: 'after-commands', fields: {} } as const;
    const verdicts: readonly NodeVerdict[] = [
      { claim: 'a', outcome: 'stays', reason: saves },
      ...['b', 'c', 'd', 'e'].map((claim) => ({ claim, outcome: 'stays', reason: young }) as const),
    ];
    const { evidence } = explainDecision(aDisruption({ verdicts }));

    expect(evidence.map(({ label }) => label)).toEqual(['4 nodes stay', '1 node stays']);
    expect(evidence[0]?.text).toMatch(/^b, c and 2 more, such as b: /);
    expect(evidence[1]?.text).toMatch(/^a: /);
  });
});
