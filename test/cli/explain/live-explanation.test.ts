import { describe, expect, it } from 'vitest';
import { decideWithoutActing } from '../../../cli/record/take-snapshot.ts';
import { createExplainer } from '../../../shared/explain/explain.ts';
import { aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aControllerRuntimeDouble } from '../controller/controller-runtime-double.ts';

describe('the explanation of a live cluster', () => {
  it('is made from reads alone', async () => {
    const { double, runtime } = await aControllerRuntimeDouble();
    double.put(
      COLLECTIONS.pods,
      aLivePod({
        metadata: { name: 'huge', namespace: 'default', uid: 'huge' },
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: '9000' } } }] },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
        },
      }),
    );
    const decisions = await decideWithoutActing(runtime('explain'));
    const explainer = createExplainer(
      decisions.flatMap(({ id, at, input }) => (input ? [{ id, at, input }] : [])),
    );

    expect(explainer?.listPendingPods()).toEqual(['default/huge']);
    expect(explainer?.explain({ kind: 'pod', name: 'default/huge' })).toMatchObject({
      outcome: 'pending',
      reasons: [{ object: 'general', reason: { code: 'too-large' } }],
    });
    expect(double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
