import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
import { toTemplateData } from '../../../shared/aws/node-class/template-data.ts';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import { groupByTemplate } from '../../../shared/ec2/node-class/launch-template/template-groups.ts';
import type { ClusterFacts } from '../../../shared/model/nodes/resolved-node-class.ts';
import { aNodeClaim, REGION } from '../../support/builders.ts';
import { aResolvedClass, aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';
import type { BootReading } from './readers/boot-reading.ts';

type Written = Readonly<Record<string, unknown>>;

/**
 * An EC2NodeClass and the settings that its nodes must read. The file of its user data has its
 * name.
 */
export interface GoldenCase {
  readonly name: string;
  /** Fields of the class as a user writes them. */
  readonly spec: Written;
  readonly cluster?: Partial<ClusterFacts>;
  /** Differences from the settings of a plain class. */
  readonly reported?: Partial<BootReading>;
}

/** Includes labels that a kubelet may not set itself; those follow at registration. */
const CLAIM = aNodeClaim({
  labels: {
    'karpenter.sh/nodepool': 'general',
    team: 'a',
    'foo.kubernetes.io/bar': 'x',
    'k8s.io/x': '1',
    'node-restriction.kubernetes.io/y': '1',
  },
  requirements: [
    { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m7i'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1a'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
  ],
  taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
  startupTaints: [{ key: 'example.com/agent', effect: 'NoExecute' }],
});

/** The settings of that claim's nodes in an IPv4 cluster. */
export const PLAIN: BootReading = {
  cluster: 'demo',
  endpoint: CLUSTER_FACTS.endpoint,
  certificateAuthority: CLUSTER_FACTS.certificateAuthority,
  dns: ['10.100.0.10'],
  labels: {
    'karpenter.k8s.aws/instance-family': 'm7i',
    'karpenter.sh/capacity-type': 'spot',
    'karpenter.sh/do-not-sync-taints': 'true',
    'karpenter.sh/nodepool': 'general',
    team: 'a',
  },
  taints: ['dedicated=gpu:NoSchedule', 'example.com/agent:NoExecute', 'karpenter.sh/unregistered:NoExecute'],
  usesRaid0: false,
  kubelet: { maxPods: 29 },
};

/** Returns the user data from the data of the launch template. */
export function userDataFor({ spec, cluster }: GoldenCase): string {
  const written = aWrittenClass(spec);
  const resolved = aResolvedClass({ written, cluster: { ...CLUSTER_FACTS, ...cluster } });
  const reading = readEC2NodeClass(resolved.name, written);
  if (reading.outcome !== 'read') throw new Error('the class cannot be read');
  const types = listInstanceTypes(reading.value).filter(({ name }) => name === 'm7i.large');
  const [group] = groupByTemplate(CLAIM, resolved, reading.value, 'spot', types);
  if (!group) throw new Error('no template');
  return Buffer.from(toTemplateData(group.content, REGION).UserData ?? '', 'base64').toString();
}

const alias = (text: string): Written => ({ amiSelectorTerms: [{ alias: text }] });

const IPV6 = { dnsIp: 'fd30:1c53:5f8a::a', serviceCidr: 'fd30:1c53:5f8a::/108' };
const RAID0 = { instanceStorePolicy: 'RAID0' };

/** Every field that all families support. */
const KUBELET = {
  maxPods: 42,
  systemReserved: { cpu: '100m', memory: '1Gi' },
  kubeReserved: { cpu: '200m', 'ephemeral-storage': '2Gi' },
  evictionHard: { 'memory.available': '5%', 'nodefs.available': '10%' },
  evictionSoft: { 'memory.available': '10%' },
  evictionSoftGracePeriod: { 'memory.available': '1m0s' },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
};

const SCRIPT = '#!/bin/bash\necho "hello from $HOSTNAME"\n';
const MULTIPART = [
  'Content-Type: multipart/mixed; boundary="BOUNDARY"',
  'MIME-Version: 1.0',
  '',
  '--BOUNDARY',
  'Content-Type: application/node.eks.aws',
  '',
  'apiVersion: node.eks.aws/v1alpha1',
  'kind: NodeConfig',
  'spec:',
  '  kubelet:',
  '    config: { maxPods: 42 }',
  '--BOUNDARY',
  'Content-Type: text/x-shellscript; charset="us-ascii"',
  '',
  '#!/bin/bash',
  'echo second',
  '--BOUNDARY--',
  '',
].join('\r\n');

export const AL2: readonly GoldenCase[] = [
  { name: 'al2', spec: alias('al2@latest') },
  {
    name: 'al2-kubelet',
    spec: { ...alias('al2@latest'), kubelet: { ...KUBELET, podsPerCore: 4 } },
    // Two cores with four pods each.
    reported: { kubelet: { ...KUBELET, podsPerCore: 4, maxPods: 8 } },
  },
  {
    name: 'al2-ipv6',
    spec: alias('al2@latest'),
    cluster: IPV6,
    reported: { dns: [IPV6.dnsIp] },
  },
  {
    name: 'al2-dns-raid0-script',
    spec: {
      ...alias('al2@latest'),
      ...RAID0,
      kubelet: { clusterDNS: ['10.0.100.10'] },
      userData: SCRIPT.replaceAll('\n', '\r\n'),
    },
    reported: { dns: ['10.0.100.10'], usesRaid0: true },
  },
  { name: 'al2-multipart', spec: { ...alias('al2@latest'), userData: MULTIPART } },
];

const AL2023_TOLD = { serviceCidr: '10.100.0.0/16' };
export const AL2023: readonly GoldenCase[] = [
  { name: 'al2023', spec: alias('al2023@latest'), reported: AL2023_TOLD },
  {
    name: 'al2023-kubelet',
    spec: {
      ...alias('al2023@latest'),
      kubelet: {
        ...KUBELET,
        clusterDNS: ['10.0.100.10', '10.0.100.11'],
        registryPullQPS: 10,
        featureGates: { InPlacePodVerticalScaling: true },
      },
    },
    reported: {
      ...AL2023_TOLD,
      dns: ['10.0.100.10', '10.0.100.11'],
      kubelet: {
        ...KUBELET,
        registryPullQPS: 10,
        featureGates: { InPlacePodVerticalScaling: true },
      },
    },
  },
  {
    name: 'al2023-ipv6',
    spec: alias('al2023@latest'),
    cluster: IPV6,
    reported: { dns: [IPV6.dnsIp], serviceCidr: IPV6.serviceCidr },
  },
  {
    name: 'al2023-raid0-script',
    spec: { ...alias('al2023@latest'), ...RAID0, userData: SCRIPT },
    reported: { ...AL2023_TOLD, usesRaid0: true },
  },
  {
    name: 'al2023-node-config',
    spec: {
      ...alias('al2023@latest'),
      userData: 'spec:\n  kubelet:\n    config: { shutdownGracePeriod: 30s }\n',
    },
    reported: AL2023_TOLD,
  },
  {
    name: 'al2023-multipart',
    spec: { ...alias('al2023@latest'), kubelet: { maxPods: 110 }, userData: MULTIPART },
    reported: { ...AL2023_TOLD, kubelet: { maxPods: 110 } },
  },
];

const OWN_SETTINGS = `
[settings]
motd = "hello"
[settings.kubernetes]
api-server = "https://elsewhere"
made-up = true
max-pods = 5
[settings.kubernetes.node-labels]
mine = "1"
team = "b"
[settings.kubernetes.node-taints]
mine = ["x:NoSchedule"]
[settings.kubernetes.eviction-hard]
"memory.available" = "12%"
[settings.kubernetes.static-pods.agent]
enabled = true
[settings.network]
hostname = "me"
[settings.bootstrap-commands.mine]
commands = [["apiclient", "get"]]
mode = "once"
essential = false
`;

export const BOTTLEROCKET: readonly GoldenCase[] = [
  { name: 'bottlerocket', spec: alias('bottlerocket@latest') },
  {
    name: 'bottlerocket-kubelet',
    spec: { ...alias('bottlerocket@latest'), kubelet: KUBELET },
    reported: { kubelet: KUBELET },
  },
  {
    name: 'bottlerocket-ipv6',
    spec: alias('bottlerocket@latest'),
    cluster: IPV6,
    reported: { dns: [IPV6.dnsIp] },
  },
  {
    name: 'bottlerocket-settings',
    spec: { ...alias('bottlerocket@v1.46.0'), ...RAID0, userData: OWN_SETTINGS },
    reported: {
      labels: { mine: '1', ...PLAIN.labels },
      usesRaid0: true,
      kubelet: { maxPods: 29, evictionHard: { 'memory.available': '12%' } },
    },
  },
  {
    name: 'bottlerocket-1.45-raid0',
    spec: { ...alias('bottlerocket@v1.45.0'), ...RAID0 },
    reported: { usesRaid0: true },
  },
];

const ON_WINDOWS = { kubelet: { maxPods: 110 } };
export const WINDOWS: readonly GoldenCase[] = [
  { name: 'windows2019', spec: alias('windows2019@latest'), reported: ON_WINDOWS },
  { name: 'windows2022', spec: alias('windows2022@latest'), reported: ON_WINDOWS },
  { name: 'windows2025', spec: alias('windows2025@latest'), reported: ON_WINDOWS },
  {
    name: 'windows2022-kubelet',
    spec: { ...alias('windows2022@latest'), kubelet: { ...KUBELET, podsPerCore: 4 } },
    reported: { kubelet: { ...KUBELET, podsPerCore: 4, maxPods: 8 } },
  },
  {
    name: 'windows2025-custom',
    spec: {
      ...alias('windows2025@latest'),
      userData: 'Write-Host \'it\'\'s mine\' # a note\nSet-Content -Path "$env:TEMP\\a.txt" -Value `\n  "say `"hi`""\n',
    },
    reported: ON_WINDOWS,
  },
];

export const CUSTOM: GoldenCase = {
  name: 'custom',
  spec: {
    amiFamily: 'Custom',
    amiSelectorTerms: [{ id: 'ami-0123456789abcdef0' }],
    userData: '  #!/bin/sh\r\n\tboot "my way" <powershell>\n',
  },
};
