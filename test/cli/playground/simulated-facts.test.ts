import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { documentOf, mortise } from '../call.ts';
import { NODES } from '../manifests.ts';

const warningsSchema = z.object({ warnings: z.array(z.string()) });

async function simulated(manifests: string, env: Readonly<Record<string, string>> = {}) {
  const argv = ['simulate', '-f', '.', '--for', '10m', '-o', 'json'];
  const outcome = await mortise(argv, { files: { 'a.yaml': manifests }, env });
  const document = documentOf(outcome);
  const { pods, nodes } = simulationSchema.parse(document.result);
  const reasons = pods.unplaced.flatMap((one) => one.reasons.map(({ text }) => text));
  return { pods, nodes, reasons, warnings: warningsSchema.parse(document).warnings };
}

const workload = (kind: string, name: string, requests: string, podSpec = '', ports = '') => `---
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: main, image: a, resources: ${requests}${ports}}]
      ${podSpec}
`;
const SMALL = '{requests: {cpu: 500m, memory: 256Mi}}';
const web = (podSpec: string, ports = '') => workload('Deployment', 'web', SMALL, podSpec, ports);
const withRequirement = (requirement: string) =>
  NODES.replace('requirements:', `requirements:\n        - ${requirement}`);
const ANY_TYPE = NODES.replace(/ {8}- key: node.kubernetes.io[\s\S]*$/, '');
const withTypes = (requirement: string) => `${ANY_TYPE}        - ${requirement}\n`;

describe('a simulated node', () => {
  const overlay = (name: string, spec: string) => `---
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: ${name}}
spec: {requirements: [{key: kubernetes.io/os, operator: In, values: [linux]}], ${spec}}
`;
  const asking = (resource: string, amount: string) =>
    workload('Deployment', 'web', `{requests: {cpu: 500m, ${resource}: ${amount}}, limits: {${resource}: ${amount}}}`);
  const GATE = { FEATURE_GATES: 'NodeOverlay=true' };

  it.each([
    ['huge pages', overlay('pages', 'capacity: {hugepages-2Mi: 1Gi}'), asking('hugepages-2Mi', '512Mi')],
    ['a device', overlay('radio', 'capacity: {example.org/radio: 2}'), asking('example.org/radio', '2')],
    [
      'the amount of the heavier of two overlays',
      overlay('few', 'weight: 1, capacity: {example.org/radio: 1}') +
        overlay('many', 'weight: 9, capacity: {example.org/radio: 8}'),
      asking('example.org/radio', '4'),
    ],
  ])('has what a NodeOverlay gives: %s', async (_, overlays, apps) => {
    const { pods, nodes } = await simulated(NODES + overlays + apps, GATE);

    expect(pods.unplaced).toEqual([]);
    expect(nodes).toHaveLength(1);
  });
});

describe('zone ids', () => {
  const KEY = 'topology.k8s.aws/zone-id';

  it.each([
    ['of a pod', NODES + web(`nodeSelector: {${KEY}: use1-az2}`), 'us-east-1b', 'use1-az2 is taken as us-east-1b'],
    [
      'of a NodePool',
      withRequirement(`{key: ${KEY}, operator: In, values: [use1-az4]}`) + web(''),
      'us-east-1d',
      'use1-az4',
    ],
    [
      'of another region',
      withRequirement(`{key: ${KEY}, operator: In, values: [apne1-az1]}`) + web(''),
      'ap-northeast-1a',
      'apne1-az1',
    ],
  ])('name zones of the simulation, with a warning: %s', async (_, manifests, zone, warning) => {
    const { nodes, warnings } = await simulated(manifests);

    expect(nodes.map((node) => node.zone)).toEqual([zone]);
    expect(warnings.filter((one) => one.includes(warning))).toHaveLength(1);
  });

  it('of no zone are named in a warning', async () => {
    const { pods, warnings } = await simulated(NODES + web(`nodeSelector: {${KEY}: zone-7}`));

    expect(pods.unplaced).toHaveLength(1);
    expect(warnings).toEqual([`${KEY}: zone-7 is no zone of us-east-1, so nothing runs there`]);
  });
});

describe('the reason for a pod that no NodePool takes', () => {
  const daemons = (ports: string, podSpec = '') => workload('DaemonSet', 'agent', SMALL, podSpec, `, ports: ${ports}`);

  it.each([
    [
      'of an own port',
      daemons('[{containerPort: 8080, hostPort: 80}]'),
      web('', ', ports: [{containerPort: 80, hostPort: 80}]'),
      'TCP/80',
    ],
    [
      'of the network of the host',
      daemons('[{containerPort: 9100}]', 'hostNetwork: true'),
      web('', ', ports: [{containerPort: 1, hostPort: 9100}]'),
      'TCP/9100',
    ],
    [
      'of one protocol',
      daemons('[{containerPort: 5, hostPort: 514, protocol: UDP}, {containerPort: 6, hostPort: 514}]'),
      web('', ', ports: [{containerPort: 5, hostPort: 514, protocol: UDP}]'),
      'UDP/514',
    ],
  ])('names the DaemonSet that has its host port: %s', async (_, agent, app, port) => {
    const { nodes, reasons } = await simulated(NODES + agent + app);

    expect(nodes).toEqual([]);
    expect(reasons).toEqual([`host port ${port} taken by DaemonSet default/agent on each node`]);
  });

  it('is the size if the pod is too large as well', async () => {
    const app = workload(
      'Deployment',
      'web',
      '{requests: {cpu: "99"}}',
      '',
      ', ports: [{containerPort: 80, hostPort: 80}]',
    );
    const { reasons } = await simulated(NODES + daemons('[{containerPort: 80, hostPort: 80}]') + app);

    expect(reasons.join()).toContain('needs 99 cpu');
  });

  it.each([
    [
      'a family',
      '{key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g, c7g]}',
      'node.kubernetes.io/instance-type: r7g.large',
      'karpenter.k8s.aws/instance-family In [c7g, m7g]',
    ],
    [
      'a number of CPUs',
      '{key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["9"]}',
      'node.kubernetes.io/instance-type: m7i.8xlarge',
      'karpenter.k8s.aws/instance-cpu',
    ],
    [
      'a size',
      '{key: karpenter.k8s.aws/instance-size, operator: NotIn, values: [metal]}',
      'node.kubernetes.io/instance-type: m5.metal',
      'karpenter.k8s.aws/instance-size',
    ],
    [
      'its class',
      '{key: karpenter.k8s.aws/instance-category, operator: In, values: [m]}',
      'kubernetes.io/os: windows',
      'of the types of EC2NodeClass default',
    ],
  ])('names the requirement of the NodePool that excludes a type: %s', async (_, requirement, selector, excluded) => {
    const { reasons } = await simulated(withTypes(requirement) + web(`nodeSelector: {${selector}}`));

    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain(excluded);
  });
});

describe('a wrong capacity type of a NodePool', () => {
  it.each([
    ['ondemand', 'write on-demand'],
    ['Spot', 'write spot'],
    ['cheap', 'write on-demand, spot or reserved'],
  ])('is named by simulate, with the right one: %s', async (value, fix) => {
    const { warnings } = await simulated(NODES.replace('[on-demand]', `[${value}]`) + web(''));

    expect(warnings).toEqual([
      `NodePool general: capacity type "${value}" is unknown: no node can have such a value; ${fix}`,
    ]);
  });
});
