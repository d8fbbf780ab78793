import { describe, expect, it } from 'vitest';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import type { NodeVerdict } from '../../shared/model/plans.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/model/time.ts';
import type { Decision, DisruptionInput, ProvisioningInput } from '../../shared/ports/decision-log.ts';
import { createDecisionRecorder } from '../../shared/record/decision-recorder.ts';
import { readDecision } from '../../shared/record/read-decision.ts';
import { aNode, aNodePool, anInitializedClaim, aPod, aRunningPod, aSnapshot, NOON } from '../support/builders.ts';
import { createMemoryRecordStore } from './support/memory-record-store.ts';
import { readStored } from './support/read-stored.ts';

/** A disruption decision about a cluster of one node; it keeps the node because of its pod. */
function aDecision(at = NOON, nodes: readonly string[] = ['node-1']): Decision {
  const snapshot = aSnapshot({
    takenAt: at,
    nodes: nodes.map((name) => aNode({ name })),
    claims: nodes.map((name) => anInitializedClaim(name)),
    pods: nodes.map((name) => aRunningPod(name)),
  });
  const input: DisruptionInput = { kind: 'disruption', snapshot, running: [] };
  const id = `d-${at}`;
  return { kind: 'disruption', id, at, input, plan: decideDisruption(input, id) };
}

/** The decision that each of its nodes stays. */
function aDecisionWithoutEffect(at: number, nodes: readonly string[] = ['node-1']): Decision {
  const decision = aDecision(at, nodes);
  if (decision.kind !== 'disruption') return decision;
  const verdicts = nodes.map((claim): NodeVerdict => {
    const reason = { code: 'consolidate-after', fields: { since: `${at}` } } as const;
    return { claim, outcome: 'stays', reason };
  });
  return { ...decision, plan: { verdicts } };
}

/** The decision that a pod waits, because the EC2NodeClass of its NodePool is not ready. */
function aWait(at: number, message: string): Decision {
  const pools = [aNodePool({ ready: false, notReady: { condition: 'NodeClassNotReady', message } })];
  const input: ProvisioningInput = {
    kind: 'provisioning',
    snapshot: aSnapshot({ takenAt: at, pools, pods: [aPod()] }),
    backoffs: { registration: [], launch: [], placement: [] },
    caps: { launchesPerMinute: 10, hourlyUsd: 10, use: { launches: 0, usd: 0, nodes: 0 } },
    anticipate: false,
  };
  const id = `p-${at}`;
  return { kind: 'provisioning', id, at, input, plan: decideProvisioning(input, id) };
}

describe('the decision recorder', () => {
  it('stores the input and the plan of a decision, and its parts before it', async () => {
    const store = createMemoryRecordStore();
    const decision = aDecision();

    const path = await createDecisionRecorder(store, '1.2.3').record(decision);

    expect([...store.entries.keys()].at(-1)).toBe(path);
    const read = readStored(store, path ?? '');
    expect(read).toMatchObject({ id: decision.id, at: NOON, release: '1.2.3', kind: 'disruption' });
    expect(read.planJson).toBe(JSON.stringify(decision.plan));
    expect(read.input.snapshot.pods).toEqual(decision.input?.snapshot.pods);
  });

  it('does not overwrite a decision', async () => {
    const store = createMemoryRecordStore();
    const path = await createDecisionRecorder(store, '1.2.3').record(aDecision());
    const stored = store.entries.get(path ?? '');

    await createDecisionRecorder(store, '9.9.9').record(aDecision());

    expect(store.entries.get(path ?? '')).toBe(stored);
  });

  it('stores the first of equal decisions without effect, and counts the others', async () => {
    const store = createMemoryRecordStore();
    const recorder = createDecisionRecorder(store, '1.2.3');
    for (let minute = 0; minute < 5; minute += 1) {
      await recorder.record(aDecisionWithoutEffect(NOON + minute * MINUTE_MS));
    }
    await recorder.record(aDecisionWithoutEffect(NOON + 5 * MINUTE_MS, ['node-1', 'node-2']));

    const [first, second, ...more] = store.decisionPaths().map((path) => readStored(store, path));
    expect(more).toEqual([]);
    expect([first?.unrecorded, second?.unrecorded]).toEqual([0, 4]);
  });

  it('stores a decision whose pods wait for another cause of the same code', async () => {
    const store = createMemoryRecordStore();
    const recorder = createDecisionRecorder(store, '1.2.3');
    const causes = ['was not evaluated yet', 'was not evaluated yet', 'SubnetSelectorTerms match no subnet'];
    for (const [second, message] of causes.entries()) await recorder.record(aWait(NOON + second * 1000, message));

    expect(store.decisionPaths().map((path) => readStored(store, path).id)).toEqual([`p-${NOON}`, `p-${NOON + 2000}`]);
  });

  it('stores the parts again on another day, because those of the day before expire earlier', async () => {
    const store = createMemoryRecordStore();
    const recorder = createDecisionRecorder(store, '1.2.3');
    await recorder.record(aDecision(NOON));
    await recorder.record(aDecision(NOON + DAY_MS, ['node-1', 'node-2']));

    for (const path of store.decisionPaths()) expect(readStored(store, path).id).toContain('d-');
  });

  it('stores all parts again after a write has failed', async () => {
    const store = createMemoryRecordStore();
    let isDown = true;
    const recorder = createDecisionRecorder(
      {
        put: async (path, json) => {
          if (isDown) throw new Error('SlowDown');
          return store.put(path, json);
        },
      },
      '1.2.3',
    );
    await expect(recorder.record(aDecision(NOON))).rejects.toThrow('SlowDown');
    isDown = false;

    const path = await recorder.record(aDecision(NOON + MINUTE_MS));
    expect(readStored(store, path ?? '').id).toBe(`d-${NOON + MINUTE_MS}`);
  });
});

describe('a record', () => {
  it('of a later format is refused with both versions', () => {
    expect(() => readDecision({ apiVersion: 'record.mortise.sh/v2' }, () => undefined)).toThrow(
      'apiVersion: has the version record.mortise.sh/v2; this release reads record.mortise.sh/v1',
    );
  });
});
