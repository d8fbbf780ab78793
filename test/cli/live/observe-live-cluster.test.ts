import { describe, expect, it } from 'vitest';
import { observeAndDecide } from '../../../cli/live/observe-live-cluster.ts';
import { createExplainer } from '../../../shared/explain/explain.ts';
import { createPartialApi } from '../../../shared/kubernetes/client/partial-api.ts';
import { watchedKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { MISSING_RIGHT } from '../../kubernetes/support/answers.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aControllerRuntimeDouble, clock } from '../controller/controller-runtime-double.ts';

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

  const providerId = 'aws:///us-east-1a/i-node-1';
  const labels = {
    ...{ 'karpenter.sh/nodepool': 'general', 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
    ...{ 'node.kubernetes.io/instance-type': 'm7i.large', 'topology.kubernetes.io/zone': 'us-east-1a' },
    'karpenter.sh/capacity-type': 'on-demand',
  };
  const conditions = ['Registered', 'Initialized'].map((type) => ({ type, status: 'True' }));
  const aDecidedCluster = async (claim?: Parameters<typeof aLiveNodeClaim>[0]) => {
    const { double, runtime, world } = await aControllerRuntimeDouble();
    // EC2 has no answer that the objects lack.
    world.instances.clear();
    if (claim) double.put(COLLECTIONS.claims, aLiveNodeClaim(claim));
    else double.fail('/nodeclaims', MISSING_RIGHT);
    double.put(COLLECTIONS.nodes, aLiveNode({ metadata: { labels }, spec: { providerID: providerId } }));
    const { ports, reached, view } = runtime('explain');
    const partial = claim ? undefined : createPartialApi(reached.api);
    const cluster = partial ? watchedKubernetesCluster({ api: partial.api, clock }) : ports.cluster;
    const { decisions } = await observeAndDecide({ reached, ports: { ...ports, cluster } });
    view.close();
    return decisions.find(({ kind }) => kind === 'disruption')?.input?.snapshot;
  };

  it('judges a node of Karpenter by its own state, not by its adoption', async () => {
    const snapshot = await aDecidedCluster({ status: { providerID: providerId, nodeName: 'node-1', conditions } });

    expect(snapshot?.claims).toMatchObject([
      { name: 'general-1', nodeName: 'node-1', launch: { providerId, instanceType: 'm7i.large' } },
    ]);
    expect(snapshot?.nominations).toEqual({});
  });

  it('knows which nodes Karpenter drains, and which it found drifted', async () => {
    const deletionTimestamp = '2026-11-21T12:00:00Z';
    const drifted = { type: 'Drifted', status: 'True', reason: 'AMIDrift', lastTransitionTime: deletionTimestamp };
    const snapshot = await aDecidedCluster({
      metadata: { deletionTimestamp, finalizers: ['karpenter.sh/termination'] },
      status: { providerID: providerId, nodeName: 'node-1', conditions: [...conditions, drifted] },
    });
    const since = Date.parse(deletionTimestamp);

    expect(snapshot?.claims).toMatchObject([
      { name: 'general-1', deletingAt: since, drainingAt: since, drift: { reason: 'AMIDrift', since } },
    ]);
  });

  it('takes the nodes of NodePools for their NodeClaims if these may not be read', async () => {
    const snapshot = await aDecidedCluster();

    expect(snapshot?.claims).toMatchObject([
      { nodeName: 'node-1', pool: 'general', launch: { providerId, instanceType: 'm7i.large', zone: 'us-east-1a' } },
    ]);
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
