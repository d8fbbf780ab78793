import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { type Call, documentOf, mortise } from '../call.ts';
import { aPod, NODES } from '../manifests.ts';

const warningsSchema = z.object({ warnings: z.array(z.string()) });

/** Simulates five minutes of the files, with the usual NodePool unless they have one. */
async function simulated(files: Call['files'] | string) {
  const all = typeof files === 'string' ? { 'nodes.yaml': NODES, 'apps.yaml': files } : files;
  const argv = ['simulate', '-f', '.', '--for', '5m', '-o', 'json'];
  const outcome = await mortise(argv, { files: { ...all } });
  const document = documentOf(outcome);
  const { pods, nodes } = simulationSchema.parse(document.result);
  return { pods, nodes, warnings: warningsSchema.parse(document).warnings };
}

const ref = (group: string, kind: string) => `{group: ${group}, kind: ${kind}, name: default}`;
const OURS = ref('karpenter.k8s.aws', 'EC2NodeClass');
const poolOf = (group: string, kind: string) => NODES.replace(OURS, ref(group, kind));
const WEB = aPod('web', '{cpu: 500m, memory: 1Gi}');

describe('a simulation with a NodePool of another autoscaler', () => {
  it.each([
    ['EKS Auto Mode', 'eks.amazonaws.com', 'NodeClass'],
    ['Google Cloud', 'karpenter.k8s.gcp', 'GCENodeClass'],
    ['Cluster API', 'infrastructure.cluster.x-k8s.io', 'ClusterAPINodeClass'],
  ])('names it and its NodeClass, and launches nothing from it: %s', async (_, group, kind) => {
    const { pods, nodes, warnings } = await simulated({ 'all.yaml': poolOf(group, kind) + WEB });

    expect(nodes).toEqual([]);
    expect(pods.unplaced.map(({ reasons }) => reasons.map(({ text }) => text))).toEqual([
      ['no NodePool of an EC2NodeClass that could launch a node'],
    ]);
    expect(warnings).toEqual([
      `NodePool general: launches nothing here: its nodeClassRef names ${kind} of ${group}, not EC2NodeClass of karpenter.k8s.aws`,
    ]);
  });

  it('uses the other NodePools of the files', async () => {
    const other = poolOf('eks.amazonaws.com', 'NodeClass').split('---')[1]?.replace('name: general', 'name: auto');
    const { pods, warnings } = await simulated(`${other}${WEB}`);

    expect(pods.ran).toBe(1);
    expect(warnings).toHaveLength(1);
  });

  it('names it where the files have nothing else', async () => {
    const files = { 'pool.yaml': poolOf('eks.amazonaws.com', 'NodeClass').split('---')[1] ?? '' };
    const { stderr } = await mortise(['simulate', '-f', '.'], { files });

    expect(stderr).toContain('NodePool general launches nothing here: its nodeClassRef names');
  });
});

const pod = (name: string, metadata: string, more: string) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}${metadata}}
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 500m}}}]}
${more}
`;
const job = (name: string, status: string) => `---
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}
status: {conditions: [{type: ${status}, status: "True"}]}
`;
const deployment = (name: string, podSpec: string, metadata = '') => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}${metadata}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: main, image: a, resources: {requests: {cpu: 500m, memory: 256Mi}}}]
      ${podSpec}
`;
const owned = (kind: string, name: string) =>
  `, ownerReferences: [{apiVersion: x/v1, kind: ${kind}, name: ${name}, uid: u, controller: true}]`;

describe('a simulation of a dump', () => {
  it.each([
    ['an evicted pod', pod('old', '', 'status: {phase: Failed, reason: Evicted}'), 'Pod old', 'has ended'],
    ['the pod of a finished backup', pod('old', '', 'status: {phase: Succeeded}'), 'Pod old', 'has ended'],
    ['a complete Job', job('old', 'Complete'), 'Job old', 'has ended'],
    ['a failed Job', job('old', 'Failed'), 'Job old', 'has ended'],
    [
      'a terminating pod',
      pod('old', ', deletionTimestamp: "2026-01-05T08:00:00Z"', 'status: {phase: Running}'),
      'Pod old',
      'is being deleted',
    ],
    [
      'a static pod',
      pod('old', ', annotations: {kubernetes.io/config.mirror: a1}', 'status: {phase: Running}'),
      'Pod old',
      'kubelet of its node',
    ],
    [
      'the pod of a StatefulSet that is there',
      deployment('db', '').replace('Deployment', 'StatefulSet') + pod('db-0', owned('StatefulSet', 'db'), ''),
      'Pod db-0',
      'owner is in the files',
    ],
    [
      'the ReplicaSet of a Deployment that is there',
      deployment('api', '') + deployment('api-5d4', '', owned('Deployment', 'api')).replace('Deployment', 'ReplicaSet'),
      'ReplicaSet api-5d4',
      'owner is in the files',
    ],
  ])('leaves out %s, and says why', async (_, manifests, object, why) => {
    const { pods, warnings } = await simulated(WEB + manifests);

    expect(pods.total).toBe(why === 'owner is in the files' ? 2 : 1);
    expect(warnings.map((one) => one.startsWith(`${object}: left out`))).toEqual([true]);
    expect(warnings[0]).toContain(why);
  });

  it('names objects that are left out for the same reason together', async () => {
    const ended = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => pod(`old-${name}`, '', 'status: {phase: Failed}'));
    const { warnings } = await simulated(WEB + ended.join(''));

    expect(warnings).toEqual([
      'Pod old-a, old-b, old-c, old-d, old-e and 2 more: left out, because what has ended needs no node',
    ]);
  });

  it.each([
    ['a Deployment', deployment('train', 'schedulerName: volcano')],
    ['a Job', job('train', 'Suspended').replace('{restartPolicy', '{schedulerName: volcano, restartPolicy')],
    ['a pod', pod('train', '', '').replace('{containers', '{schedulerName: volcano, containers')],
  ])('leaves out %s of another scheduler, and says so', async (_, manifests) => {
    const { pods, warnings } = await simulated(WEB + manifests);

    expect(pods.total).toBe(1);
    expect(warnings.join()).toContain('its pods wait for the scheduler volcano');
  });
});

describe('equal objects of several files', () => {
  const namespace = (labels: string) => `---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {${labels}}}
`;
  const service = (metadata: string) => `---
apiVersion: v1
kind: Service
metadata: ${metadata}
spec: {ports: [{port: 80}], selector: {app: api}}
`;

  it.each([
    ['a Namespace', namespace('team: a, tier: b'), namespace('tier: b, team: a')],
    ['a Service with its namespace written out', service('{name: api}'), service('{namespace: default, name: api}')],
    ['a Deployment with empty fields', deployment('api', ''), deployment('api', 'nodeSelector:')],
    ['a NodePool with its class', NODES, NODES],
  ])('count once: %s', async (_, first, second) => {
    const files = { 'nodes.yaml': NODES, 'a.yaml': first, 'b.yaml': second, 'web.yaml': WEB };
    const { pods } = await simulated(files);

    expect(pods.ran).toBe(pods.total);
    expect(pods.total).toBe(first.includes('Deployment') ? 2 : 1);
  });

  it('are refused if they differ', async () => {
    const files = { 'a.yaml': namespace('team: a'), 'b.yaml': namespace('team: b'), 'c.yaml': WEB };
    const { code, stderr } = await mortise(['simulate', '-f', '.'], { files });

    expect(code).toBe(1);
    expect(stderr).toContain('Namespace shop is there twice');
  });
});

describe('a simulation warns, and continues,', () => {
  it.each([
    ['if a PriorityClass is not in the files', deployment('api', 'priorityClassName: gold'), 'no PriorityClass gold'],
    [
      'if a pod of a dump names one, whose priority it has',
      pod('api', '', '').replace('{containers', '{priorityClassName: gold, priority: 900, containers'),
      'the priority is taken as 900',
    ],
    [
      'if memory is a fraction of bytes',
      deployment('api', '').replace('256Mi', '512m'),
      'memory "512m" is a fractional number of bytes, the API server warns of it, and the pod asks for next to nothing; write 512Mi',
    ],
    [
      'if a disk of an init container is a fraction of bytes',
      deployment('api', 'initContainers: [{name: i, image: a, resources: {limits: {ephemeral-storage: 100m}}}]'),
      'ephemeral-storage "100m"',
    ],
    [
      'if memory has decimals and no suffix',
      deployment('api', '').replace('256Mi', '1.5'),
      'memory "1.5" is a fractional number of bytes',
    ],
  ])('%s', async (_, manifests, warning) => {
    const { pods, warnings } = await simulated(WEB + manifests);

    expect(pods.ran).toBe(2);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(warning);
  });

  it('once for all objects that name the same PriorityClass', async () => {
    const { warnings } = await simulated(
      ['a', 'b', 'c'].map((name) => deployment(name, 'priorityClassName: gold')).join(''),
    );

    expect(warnings).toEqual([
      'Deployment default/a, Deployment default/b, Deployment default/c: no PriorityClass gold, not in the files: the priority is taken as 0; add it',
    ]);
  });

  it('not of memory that is whole', async () => {
    const { warnings } = await simulated(deployment('api', '').replace('256Mi', '0.5Gi'));

    expect(warnings).toEqual([]);
  });
});
