import { describe, expect, it } from 'vitest';
import { explainNodePool } from '../../../console/views/explain/explain-node-pool.ts';
import type { NodeVerdict } from '../../../shared/model/plans.ts';
import { aNodePool, anInitializedClaim, aPod } from '../../support/builders.ts';
import { aDisruption, anUnplaced, aProvisioning } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

const explain = (over: Parameters<typeof someFacts>[0] = {}) => explainNodePool(someFacts(over), 'general');

describe('the answer about a NodePool', () => {
  it('says that it launches nodes while it is ready and below its limits', () => {
    expect(explain()).toMatchObject({
      subject: { kind: 'nodepool', name: 'general' },
      tone: 'calm',
      verdict: { text: 'It launches nodes for pending pods that it can run.' },
    });
  });

  it.each([
    ['names a limit that is reached', { limits: { cpu: 2_000 } }, 'It is at its limit: cpu 2 of 2 in use.'],
    [
      'names the condition because of which it launches nothing',
      { ready: false, notReady: { condition: 'NodeClassReady', message: 'no subnets' } },
      'It launches nothing. NodeClassReady: no subnets',
    ],
    ['counts the nodes of a static pool', { replicas: 3 }, 'It keeps 3 nodes, whatever pods there are.'],
  ])('%s', (_, over, text) => {
    const snapshot = { pools: [aNodePool(over)], claims: [anInitializedClaim('ip-1')] };
    expect(explain({ snapshot })?.verdict.text).toBe(text);
  });

  it.each([
    ['limit-reached', ' 1 pod waits for it.'],
    ['too-large', ''],
  ] as const)('counts the pods that wait for it, as for %s', (code, waiting) => {
    const pools = [{ pool: 'general', reasons: [{ code, fields: {} }] }];
    const decisions = [aProvisioning({ unplaced: [anUnplaced({ pools })] })];

    expect(explain({ snapshot: { pods: [aPod()] }, decisions })?.verdict.text).toBe(
      `It launches nodes for pending pods that it can run.${waiting}`,
    );
  });

  it('groups its nodes by the reason why they stay', () => {
    const claims = [anInitializedClaim('ip-1')];
    const verdict: NodeVerdict = {
      ...{ claim: 'general-1', outcome: 'stays' },
      reason: { code: 'after-commands', fields: {} },
    };
    const decisions = [aDisruption({ verdicts: [verdict] })];
    const evidence = explain({ snapshot: { claims }, decisions })?.evidence;

    expect(evidence).toContainEqual(
      expect.objectContaining({
        title: 'Why its nodes stay or go',
        sentences: [expect.objectContaining({ objects: [{ kind: 'node', name: 'general-1' }] })],
      }),
    );
  });

  it('names the pending pods that it cannot run', () => {
    const decisions = [aProvisioning({ unplaced: [anUnplaced()] })];
    expect(explain({ snapshot: { pods: [aPod()] }, decisions })?.evidence).toContainEqual({
      kind: 'reasons',
      title: 'Pending pods that it cannot run',
      rows: [
        {
          subject: 'default/web-1',
          object: { kind: 'pod', name: 'default/web-1' },
          texts: [expect.stringContaining('cpu 48 of 48')],
        },
      ],
    });
  });

  it('is undefined for a NodePool that does not exist', () => {
    expect(explainNodePool(someFacts(), 'none')).toBeUndefined();
  });
});
