import { describe, expect, it } from 'vitest';
import type { PodOwner } from '../../shared/model/pods/workload.ts';
import { restoreWorkloads } from '../../shared/simulation/restore/restore-workloads.ts';
import { aDaemonSet, aPod, aPodSpec, aPodTemplate, aRunningPod, aSnapshot } from '../support/builders.ts';

const owned = (kind: string, name: string, pod: string, labels = {}) =>
  aRunningPod('node-1', {
    name: pod,
    labels,
    owner: { kind, name, uid: `${kind}-${name}` },
  });
const HASHED = { 'pod-template-hash': '6c9d' };

describe('the workloads of a snapshot', () => {
  it('are named after the owners of its pods, with the replicas that these have', () => {
    const { workloads } = restoreWorkloads(
      aSnapshot({
        pods: [
          owned('ReplicaSet', 'web-6c9d', 'web-6c9d-a', HASHED),
          owned('ReplicaSet', 'web-6c9d', 'web-6c9d-b', HASHED),
          owned('StatefulSet', 'db', 'db-0'),
          owned('Job', 'report', 'report-x'),
        ],
      }),
      1,
    );

    expect(workloads).toMatchObject([
      { kind: 'Deployment', name: 'web', replicas: 2 },
      { kind: 'StatefulSet', name: 'db', replicas: 1 },
      { kind: 'Job', name: 'report', parallelism: 1 },
    ]);
  });

  it('give each pod of a StatefulSet volumes of its own', () => {
    const spec = aPodSpec({ volumeClaims: ['shared', 'data-db-1'] });
    const pod = { ...owned('StatefulSet', 'db', 'db-1'), spec };
    const claim = { namespace: 'default', name: 'data-db-1', storageClass: 'gp3' };
    const storage = {
      ...{ volumes: [], classes: [], drivers: [] },
      claims: [{ ...claim, bound: false, lost: false, deleting: false }],
    };

    const { workloads } = restoreWorkloads(aSnapshot({ pods: [pod], storage }), 1);

    expect(workloads).toMatchObject([
      {
        template: { spec: { volumeClaims: ['shared'] } },
        volumeClaimTemplates: [{ name: 'data', storageClass: 'gp3' }],
      },
    ]);
  });

  it('have the replicas that the owner asks for, if that was recorded', () => {
    const web = owned('ReplicaSet', 'web', 'web-a');
    const record: PodOwner = {
      kind: 'ReplicaSet',
      namespace: 'default',
      name: 'web',
      uid: 'ReplicaSet-web',
      desiredPods: 5,
      creates: 'at-once',
      isFailing: false,
    };

    const { workloads } = restoreWorkloads(aSnapshot({ pods: [web], owners: [record] }), 1);

    expect(workloads).toMatchObject([{ name: 'web', replicas: 5 }]);
  });

  it('stay two during the rollout of one Deployment', () => {
    const { workloads } = restoreWorkloads(
      aSnapshot({
        pods: [
          owned('ReplicaSet', 'web-6c9d', 'web-6c9d-a', HASHED),
          owned('ReplicaSet', 'web-77aa', 'web-77aa-a', { 'pod-template-hash': '77aa' }),
        ],
      }),
      1,
    );

    expect(workloads.map(({ name }) => name)).toEqual(['web-6c9d', 'web-77aa']);
  });

  it('adopt their pods, and leave those of other owners as they are', () => {
    const { pods, otherOwners } = restoreWorkloads(
      aSnapshot({
        daemonSets: [aDaemonSet({ name: 'agent', template: aPodTemplate() })],
        pods: [
          owned('DaemonSet', 'agent', 'agent-a'),
          owned('Workflow', 'nightly', 'nightly-a'),
          aPod({ name: 'bare' }),
        ],
      }),
      1,
    );

    expect(pods.map(({ name, owner }) => [name, owner?.kind, owner?.uid])).toEqual([
      ['agent-a', 'DaemonSet', expect.not.stringContaining('DaemonSet-agent')],
      ['nightly-a', 'Workflow', 'Workflow-nightly'],
      ['bare', undefined, undefined],
    ]);
    expect(otherOwners).toEqual(['Workflow']);
  });
});
