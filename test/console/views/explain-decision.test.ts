import { describe, expect, it } from 'vitest';
import { explainDecision } from '../../../console/views/explain/explain-decision.ts';
import type { DisruptionCommand, NodeVerdict } from '../../../shared/model/plans.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { aNode, anInitializedClaim, NOON } from '../../support/builders.ts';
import { aDisruption, anUnplaced, aPlannedClaim, aProvisioning } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

const facts = someFacts({
  snapshot: { claims: [anInitializedClaim('ip-1')], nodes: [aNode({ name: 'ip-1' })] },
});
const explain = (decision: Decision) => explainDecision(facts, decision);
const part = (decision: Decision, title: string) =>
  explain(decision).evidence.find((evidence) => evidence.title === title);

const aCommand = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  ...{ id: 'c-1', reason: 'Underutilized', decidedAt: NOON },
  ...{ candidates: ['general-1'], replacements: [], placements: [], savingHourlyUsd: 0.1 },
  ...over,
});

describe('the answer about a decision for pending pods', () => {
  const decision = aProvisioning({
    claims: [aPlannedClaim({ pods: ['default/web-1', 'default/web-2'] })],
    placements: [{ target: 'ip-1', pods: ['default/web-3'] }],
    unplaced: [anUnplaced({ pods: ['ml/train-1'] })],
  });

  it('sums up the launches, the pods with room and those that stay pending', () => {
    expect(explain(decision).verdict.text).toBe(
      '1 node is launched for 2 pods, 1 pod has room on nodes that exist, 1 pod stays pending.',
    );
  });

  it('names the offering of each new node and its pods', () => {
    expect(part(decision, 'Launched')).toMatchObject({
      rows: [
        {
          object: { kind: 'node', name: 'general-1' },
          texts: [expect.stringContaining('m7i.large'), 'for 2 pods (default/web-1, default/web-2)'],
        },
      ],
    });
  });

  it('names running nodes as the map does', () => {
    expect(part(decision, 'Pods that fit on nodes that exist')).toMatchObject({
      rows: [{ subject: 'general-1', texts: ['default/web-3'] }],
    });
  });

  it('names the reason of each NodePool for pods that stay pending', () => {
    expect(part(decision, 'Pods that stay pending')).toMatchObject({
      rows: [{ subject: 'ml/train-1', texts: [expect.stringMatching(/^NodePool general: cpu 48/)] }],
    });
  });

  it('says that no pod needs a node if there was nothing to do', () => {
    expect(explain(aProvisioning({})).verdict.text).toBe('No pod needs a node.');
  });
});

describe('the answer about a decision about removals', () => {
  it('names the nodes that go, the saving and when it has paid', () => {
    const price = { evictions: 2, costUsd: 0.03, paybackMs: 18 * 60_000 };
    const decision = aDisruption({ command: aCommand({ price }) });

    expect(explain(decision).verdict.text).toBe('1 node is removed, which saves $0.1000/h.');
    expect(part(decision, 'Removed or replaced')).toEqual({
      kind: 'text',
      title: 'Removed or replaced',
      sentences: [
        {
          text: 'Underutilized, removed: general-1. Saves $0.1000/h for 2 evictions, pays back in 18 min.',
          objects: [{ kind: 'node', name: 'general-1' }],
        },
      ],
    });
  });

  it('groups the nodes that stay by their reason, the largest group first', () => {
    const saves = {
      code: 'saves-too-little',
      fields: { savingUsd: '0.01', wantedUsd: '0.02' },
    } as const;
    const young = { code: 'after-commands', fields: {} } as const;
    const verdicts: readonly NodeVerdict[] = [
      { claim: 'a', outcome: 'stays', reason: saves },
      ...['b', 'c', 'd', 'e'].map((claim) => ({ claim, outcome: 'stays', reason: young }) as const),
    ];
    const evidence = part(aDisruption({ verdicts }), 'Why the others stay');

    const texts = evidence?.kind === 'text' ? evidence.sentences.map(({ text }) => text) : [];
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^4 nodes stay \(b, c, d and 1 more\), such as b: /);
    expect(texts[1]).toMatch(/^a stays: /);
  });

  it('names surplus nodes', () => {
    expect(part(aDisruption({ surplus: ['general-1'] }), 'Surplus')).toMatchObject({
      sentences: [{ text: 'New pods are to prefer other nodes than general-1.' }],
    });
  });
});
