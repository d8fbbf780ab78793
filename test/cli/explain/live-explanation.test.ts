import { describe, expect, it } from 'vitest';
import { observeAndDecide } from '../../../cli/record/observe-and-decide.ts';
import { createExplainer } from '../../../shared/explain/explain.ts';
import { MISSING_RIGHT } from '../../kubernetes/support/answers.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
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
    const { decisions } = await observeAndDecide(runtime('explain'));
    const explainer = createExplainer(decisions.flatMap(({ id, at, input }) => (input ? [{ id, at, input }] : [])));

    expect(explainer?.listPendingPods()).toEqual(['default/huge']);
    expect(explainer?.explain({ kind: 'pod', name: 'default/huge' })).toMatchObject({
      outcome: 'pending',
      reasons: [{ object: 'general', reason: { code: 'too-large' } }],
    });
    expect(double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('judges a node of Karpenter by its own state, not by its adoption', async () => {
    const { double, runtime, world } = await aControllerRuntimeDouble();
    const providerId = 'aws:///us-east-1a/i-node-1';
    const facts = {
      ...{ instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'on-demand' as const },
      ...{ pool: 'general', nodeClass: 'default' },
    };
    world.instances.set(providerId, { providerId, claim: 'general-1', state: 'running', facts });
    const conditions = ['Registered', 'Initialized'].map((type) => ({ type, status: 'True' }));
    double.put(
      COLLECTIONS.claims,
      aLiveNodeClaim({ status: { providerID: providerId, nodeName: 'node-1', conditions } }),
    );
    const labels = {
      ...{ 'karpenter.sh/nodepool': 'general', 'karpenter.sh/registered': 'true' },
      'karpenter.sh/initialized': 'true',
    };
    double.put(COLLECTIONS.nodes, aLiveNode({ metadata: { labels } }));
    const { decisions } = await observeAndDecide(runtime('explain'));
    const [decision] = decisions.filter(({ kind }) => kind === 'disruption');

    expect(decision?.input?.snapshot.claims.map(({ name }) => name)).toEqual(['general-1']);
    expect(decision?.input?.snapshot.nominations).toEqual({});
  });

  it('knows the offerings for which EC2 refused the launches of a running Karpenter', async () => {
    const { double, runtime, world } = await aControllerRuntimeDouble();
    const now = new Date().toISOString();
    double.put(COLLECTIONS.leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
      spec: { holderIdentity: 'karpenter-0', renewTime: now },
    });
    for (const [index, { instanceType, zone }] of world.catalogue.offerings.entries()) {
      double.put(COLLECTIONS.events, {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: `refused-${index}`, namespace: 'default' },
        reportingController: 'karpenter',
        reason: 'InsufficientCapacityError',
        note: `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}).`,
        eventTime: now,
        regarding: { kind: 'NodeClaim', name: `general-x7k${index}` },
      });
    }
    double.put(COLLECTIONS.pods, aLivePod());
    const { decisions, reports } = await observeAndDecide(runtime('explain'));
    const explainer = createExplainer(
      decisions.flatMap(({ id, at, input }) => (input ? [{ id, at, input }] : [])),
      reports,
    );
    const [pod = ''] = explainer?.listPendingPods() ?? [];
    const answer = explainer?.explain({ kind: 'pod', name: pod });

    expect(answer).toMatchObject({
      outcome: 'pending',
      reasons: [{ object: 'general', reason: { code: 'ice' } }],
    });
    expect(answer?.evidence.filter(({ label }) => label === 'Karpenter')).not.toEqual([]);
  });

  it('is made without what Karpenter says if its Events may not be read', async () => {
    const { double, runtime } = await aControllerRuntimeDouble();
    double.put(COLLECTIONS.leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
      spec: { holderIdentity: 'karpenter-0', renewTime: new Date().toISOString() },
    });
    double.fail('/events', MISSING_RIGHT);
    double.put(COLLECTIONS.pods, aLivePod());
    const { decisions, reports } = await observeAndDecide(runtime('explain'));

    expect(reports).toEqual([]);
    expect(decisions.map(({ kind }) => kind)).toContain('provisioning');
  });
});
