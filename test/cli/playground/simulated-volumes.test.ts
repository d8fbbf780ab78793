import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { documentOf, mortise } from '../call.ts';
import { NODES } from '../manifests.ts';

const POD = `---
apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  containers: [{name: main, image: db, resources: {requests: {cpu: "1", memory: 2Gi}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`;

const claim = (spec: string) => `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}, ${spec}}
`;

const volumeIn = (zone: string) => `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-1}
spec:
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}
  nodeAffinity:
    required:
      nodeSelectorTerms:
        - matchExpressions: [{key: topology.ebs.csi.aws.com/zone, operator: In, values: [${zone}]}]
`;

const CLASS = `---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: gp3}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
`;

async function simulated(...manifests: readonly string[]) {
  const argv = ['simulate', '-f', '.', '--for', '5m', '-o', 'json'];
  const outcome = await mortise(argv, { files: { 'a.yaml': NODES + manifests.join('') } });
  return simulationSchema.parse(documentOf(outcome).result);
}

describe('a simulation with volumes', () => {
  it.each(['us-east-1a', 'us-east-1b'])(
    'runs a pod in the zone of its volume: %s',
    async (zone) => {
      const { pods, nodes } = await simulated(POD, claim('volumeName: disk-1'), volumeIn(zone));

      expect(pods.ran).toBe(1);
      expect(nodes.map((node) => node.zone)).toEqual([zone]);
    },
  );

  it('creates the volume of a claim that waits for its pod', async () => {
    const { pods } = await simulated(POD, claim('storageClassName: gp3'), CLASS);

    expect(pods.ran).toBe(1);
  });

  it('reports what a pod waits for if the files lack its claim', async () => {
    const { pods } = await simulated(POD, CLASS);

    expect(pods.unplaced.map(({ reasons }) => reasons.map(({ code }) => code))).toEqual([
      ['volume-not-ready'],
    ]);
  });

  it('assumes that volumes are reachable if the files contain none', async () => {
    const { pods } = await simulated(POD);

    expect(pods.ran).toBe(1);
  });
});
