import { describe, expect, it, onTestFinished } from 'vitest';
import { readKarpenterReports } from '../../../shared/kubernetes/readers/karpenter-reports.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNodeClaim, aLivePool, COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';

async function aCluster({ karpenterRenews = NOON_TEXT } = {}): Promise<ApiDouble> {
  const double = await startApiDouble();
  onTestFinished(double.close);
  double.put(COLLECTIONS.leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
    spec: { holderIdentity: 'karpenter-0', renewTime: karpenterRenews },
  });
  return double;
}

const anEvent = (name: string, more: object) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  reportingController: 'karpenter',
  ...more,
});

const condition = (type: string, status: string, reason = type, message = '') => ({
  ...{ type, status, reason, message, lastTransitionTime: NOON_TEXT },
});

describe('the reports of Karpenter', () => {
  it('are its Events, with the number of times and the last time, and of no other controller', async () => {
    const double = await aCluster();
    double.put(
      COLLECTIONS.events,
      anEvent('a', {
        reason: 'DisruptionBlocked',
        note: 'Pdb prevents pod evictions',
        regarding: { kind: 'NodeClaim', name: 'general-1' },
        eventTime: NOON_TEXT,
        series: { count: 4, lastObservedTime: '2026-01-01T12:00:30Z' },
      }),
    );
    double.put(
      COLLECTIONS.events,
      anEvent('b', {
        reason: 'Nominated',
        note: 'Pod should schedule on: nodeclaim/general-2',
        regarding: { kind: 'Pod', name: 'web-1', namespace: 'shop' },
        deprecatedLastTimestamp: NOON_TEXT,
      }),
    );
    double.put(COLLECTIONS.events, {
      ...anEvent('c', { reason: 'Scheduled', regarding: { kind: 'Pod', name: 'web-1' } }),
      reportingController: 'default-scheduler',
    });

    expect(await readKarpenterReports(connect(double).api, NOON + MINUTE_MS)).toEqual([
      {
        ...{ kind: 'nodeclaim', name: 'general-1', source: 'event', reason: 'DisruptionBlocked' },
        ...{ text: 'Pdb prevents pod evictions', at: NOON + 30_000, count: 4 },
      },
      {
        ...{ kind: 'pod', name: 'shop/web-1', source: 'event', reason: 'Nominated' },
        ...{ text: 'Pod should schedule on: nodeclaim/general-2', at: NOON, count: 1 },
      },
    ]);
  });

  it('are conditions that say that something is wrong, or that a node is disrupted', async () => {
    const double = await aCluster();
    const conditions = [
      condition('Launched', 'Unknown', 'LaunchFailed', 'creating instance'),
      condition('Registered', 'True'),
      condition('Drifted', 'True', 'AMIDrift', 'AMIDrift'),
      condition('Ready', 'False'),
    ];
    double.put(COLLECTIONS.claims, aLiveNodeClaim({ status: { conditions } }));
    double.put(COLLECTIONS.pools, {
      ...aLivePool(),
      status: { conditions: [condition('NodeClassReady', 'False', 'NotReady')] },
    });
    const reports = await readKarpenterReports(connect(double).api, NOON);

    expect(reports.map(({ kind, reason, text }) => `${kind} ${reason}: ${text}`)).toEqual([
      'nodeclaim Launched: Unknown, LaunchFailed, creating instance',
      'nodeclaim Drifted: AMIDrift',
      'nodepool NodeClassReady: False, NotReady',
    ]);
  });

  it('are empty where Karpenter has not renewed its lease for a minute', async () => {
    const double = await aCluster();
    double.put(COLLECTIONS.claims, aLiveNodeClaim({ status: { conditions: [condition('Drifted', 'True')] } }));

    expect(await readKarpenterReports(connect(double).api, NOON + MINUTE_MS + 1)).toEqual([]);
  });
});
