import { describe, expect, it } from 'vitest';
import * as z from 'zod';
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

const warningsSchema = z.object({ warnings: z.array(z.string()) });

async function simulatedFor(forTime: string, ...manifests: readonly string[]) {
  const argv = ['simulate', '-f', '.', '--for', forTime, '-o', 'json'];
  const outcome = await mortise(argv, { files: { 'a.yaml': manifests.join('') } });
  const document = documentOf(outcome);
  const { warnings } = warningsSchema.parse(document);
  return { ...simulationSchema.parse(document.result), warnings };
}

const simulated = (...manifests: readonly string[]) => simulatedFor('5m', NODES, ...manifests);

describe('a simulation with volumes', () => {
  it.each(['us-east-1a', 'us-east-1b'])('runs a pod in the zone of its volume: %s', async (zone) => {
    const { pods, nodes } = await simulated(POD, claim('volumeName: disk-1'), volumeIn(zone));

    expect(pods.ran).toBe(1);
    expect(nodes.map((node) => node.zone)).toEqual([zone]);
  });

  it('creates the volume of a claim that waits for its pod', async () => {
    const { pods } = await simulated(POD, claim('storageClassName: gp3'), CLASS);

    expect(pods.ran).toBe(1);
  });

  it('reports what a pod waits for if the files lack its claim', async () => {
    const { pods } = await simulated(POD, CLASS);

    expect(pods.unplaced.map(({ reasons }) => reasons.map(({ code }) => code))).toEqual([['volume-not-ready']]);
  });

  it('assumes that volumes are reachable if the files contain none', async () => {
    const { pods } = await simulated(POD);

    expect(pods.ran).toBe(1);
  });
});

/** Each node lives one hour, so that pods move. */
const EXPIRING = NODES.replace('spec:\n      nodeClassRef', 'spec:\n      expireAfter: 1h\n      nodeClassRef');

const workload = (kind: string, name: string, spec: string, podSpec = '') => `---
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  ${spec}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: main, image: a, resources: {requests: {cpu: "1", memory: 2Gi}}}]
      ${podSpec}
`;
const claimTemplates = (...specs: readonly string[]) =>
  `volumeClaimTemplates: [${specs
    .map((spec, index) => `{metadata: {name: disk-${index}}, spec: {accessModes: [ReadWriteOnce], ${spec}}}`)
    .join(', ')}]`;
const brokers = (replicas: number, ...specs: readonly string[]) =>
  workload('StatefulSet', 'broker', `replicas: ${replicas}\n  ${claimTemplates(...specs)}`);
const GP3 = 'storageClassName: gp3';
const storageClass = (more: string) => `---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: gp3}
provisioner: ebs.csi.aws.com
${more}
`;
const ONLY_B_OR_C =
  'volumeBindingMode: WaitForFirstConsumer\nallowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [us-east-1b, us-east-1c]}]}]';
const reservedVolume = (zone: string, name: string) =>
  volumeIn(zone)
    .replace('name: disk-1}', `name: of-${name}}`)
    .replace('spec:', `spec:\n  claimRef: {namespace: default, name: ${name}}`);
const SHARED = 'volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]';

type Zones = ReadonlySet<string>;
const zonesOf = ({ nodes }: Awaited<ReturnType<typeof simulated>>, pod: string): Zones =>
  new Set(nodes.filter(({ pods }) => pods.some((one) => one.includes(pod))).map(({ zone }) => zone));

describe('the volumes of a StatefulSet', () => {
  it.each([
    ['that exist are taken', brokers(2, GP3) + CLASS, 'us-east-1b'],
    ['are made where their class allows', brokers(2, GP3) + storageClass(ONLY_B_OR_C), undefined],
    ['that are reserved for its claims are taken', brokers(1, GP3) + CLASS, 'us-east-1c'],
  ])('%s', async (title, manifests, zone) => {
    const volumes =
      zone === undefined ? [] : ['disk-0-broker-0', 'disk-0-broker-1'].map((name) => reservedVolume(zone, name));
    const outcome = await simulated(manifests, ...volumes);

    expect(outcome.pods.unplaced, title).toEqual([]);
    for (const used of zonesOf(outcome, 'broker')) {
      expect(zone === undefined ? ['us-east-1b', 'us-east-1c'] : [zone]).toContain(used);
    }
  });

  it('keep each pod in its zone while nodes come and go', async () => {
    const anchor = workload(
      'Deployment',
      'anchor',
      'replicas: 3',
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: anchor}}}]',
    );
    const outcome = await simulatedFor('5h', EXPIRING, anchor, brokers(2, GP3, GP3), CLASS);

    expect(outcome.moves.expirations).toBeGreaterThan(3);
    expect(outcome.pods.unplaced).toEqual([]);
    expect(zonesOf(outcome, 'broker-0').size).toBe(1);
    expect(zonesOf(outcome, 'broker-1').size).toBe(1);
  });

  it('are taken as EBS volumes if no StorageClass is in the files', async () => {
    const { pods, warnings } = await simulated(brokers(2, GP3, 'volumeMode: Block'));

    expect(pods.ran).toBe(2);
    expect(warnings).toEqual([
      'StorageClass gp3, (the default): not in the files, so its volumes are taken as EBS volumes in the zone of their first pod',
    ]);
  });

  it('of an unknown class keep its pods waiting if the files have other classes', async () => {
    const { pods } = await simulated(brokers(1, 'storageClassName: fast'), CLASS);

    expect(pods.unplaced.flatMap(({ reasons }) => reasons.map(({ text }) => text))).toEqual([
      'PVC default/disk-0-broker-0: StorageClass fast not found',
    ]);
  });
});

describe('a volume that several pods share', () => {
  it('ties all pods of a Deployment to the zone of the first', async () => {
    const spread =
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: shared}}}]';
    const outcome = await simulatedFor(
      '30m',
      NODES.replace('    memory: 64Gi', '    memory: 640Gi'),
      workload('Deployment', 'shared', 'replicas: 9', `${SHARED}\n      ${spread}`),
      claim(GP3),
      CLASS,
    );

    expect(outcome.pods.unplaced).toEqual([]);
    expect(zonesOf(outcome, 'shared').size).toBe(1);
  });

  it('ties none of them if its driver reaches every zone', async () => {
    const spread =
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: shared}}}]';
    const outcome = await simulated(
      workload('Deployment', 'shared', 'replicas: 3', `${SHARED}\n      ${spread}`),
      claim(GP3),
      CLASS.replace('ebs.csi', 'efs.csi'),
    );

    expect(outcome.pods.unplaced).toEqual([]);
    expect(zonesOf(outcome, 'shared').size).toBe(3);
  });

  it('is there before its pods if its class does not wait for them', async () => {
    const pool = NODES.replace(
      '      requirements:',
      '      requirements:\n        - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1c]}',
    );
    const outcome = await simulatedFor('5m', pool, POD, claim(GP3), storageClass(''));

    expect(outcome.pods.ran).toBe(1);
  });
});

describe('claims that are not in the files', () => {
  it.each([
    ['of a pod', POD, 'PersistentVolumeClaim default/data'],
    [
      'of a Deployment beside a StatefulSet',
      workload('Deployment', 'web', 'replicas: 2', SHARED) + brokers(1, GP3),
      'PersistentVolumeClaim default/data',
    ],
    ['whose volume is not there', POD + claim('volumeName: elsewhere'), 'PersistentVolume elsewhere'],
  ])('are taken as bound, with a warning: %s', async (_, manifests, object) => {
    const { pods, warnings } = await simulated(manifests);

    expect(pods.unplaced).toEqual([]);
    expect(warnings.filter((one) => one.startsWith(`${object}: not in the files`))).toHaveLength(1);
  });
});

describe('a claim with the access mode ReadWriteOncePod', () => {
  const exclusive = claim(GP3).replace('[ReadWriteOnce]', '[ReadWriteOncePod]');

  it.each([
    ['of a Deployment', workload('Deployment', 'shared', 'replicas: 3', SHARED), 2],
    ['of two pods', POD + POD.replace('name: db', 'name: db-2'), 1],
    ['of a Deployment and a pod', workload('Deployment', 'other', 'replicas: 1', SHARED) + POD, 1],
  ])('lets one pod at a time run, and launches no node for the others: %s', async (_, manifests, waiting) => {
    const { pods, nodes } = await simulatedFor('20m', NODES, manifests, exclusive, CLASS);

    expect(pods.ran).toBe(1);
    expect(nodes).toHaveLength(1);
    expect(pods.unplaced).toHaveLength(waiting);
    expect(pods.unplaced[0]?.reasons[0]?.text).toContain('ReadWriteOncePod');
  });

  it('lets each pod of a StatefulSet run with its own', async () => {
    const set = brokers(3, GP3).replace('[ReadWriteOnce]', '[ReadWriteOncePod]');
    const { pods } = await simulated(set, CLASS);

    expect(pods.ran).toBe(3);
  });

  it('is handed over when its pod moves', async () => {
    const shared = workload('Deployment', 'shared', 'replicas: 1', SHARED);
    const { pods, moves } = await simulatedFor('3h', EXPIRING, shared, exclusive, CLASS);

    expect(moves.expirations).toBeGreaterThan(1);
    expect(pods.unplaced).toEqual([]);
  });
});
