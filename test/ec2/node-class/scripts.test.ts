import { describe, expect, it } from 'vitest';
import type { BootFacts } from '../../../shared/ec2/node-class/user-data/boot-facts.ts';
import { buildUserData } from '../../../shared/ec2/node-class/user-data/user-data.ts';
import { CLUSTER_FACTS } from '../../support/node-classes.ts';
import { bootFacts, partsOf } from './boot.ts';

const FLAGS =
  '--node-labels="karpenter.sh/capacity-type=spot,team=a" ' +
  '--register-with-taints="dedicated=gpu:NoSchedule,karpenter.sh/unregistered:NoExecute" ' +
  '--max-pods=29';

/** Splits a line into shell words; quoted text is one word. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Returns the command of a script whose lines continue with a backslash. */
const commandOf = (facts: BootFacts): readonly string[] => {
  const script = partsOf(buildUserData('AL2', facts)).at(-1)?.body ?? '';
  return words(script.replaceAll('\\\n', '').split('\n').at(-1) ?? '');
};

describe('user data of AL2', () => {
  it("calls bootstrap.sh with the cluster and the kubelet's flags", () => {
    expect(commandOf(bootFacts())).toEqual([
      '/etc/eks/bootstrap.sh',
      'demo',
      '--apiserver-endpoint',
      CLUSTER_FACTS.endpoint,
      '--b64-cluster-ca',
      CLUSTER_FACTS.certificateAuthority,
      '--dns-cluster-ip',
      '10.100.0.10',
      '--use-max-pods',
      'false',
      '--kubelet-extra-args',
      FLAGS,
    ]);
  });

  it('writes a log that the console shows', () => {
    const [part] = partsOf(buildUserData('AL2', bootFacts()));

    expect(part?.type).toBe('text/x-shellscript; charset="us-ascii"');
    expect(part?.body.split('\n').slice(0, 2)).toEqual([
      '#!/bin/bash -xe',
      'exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1',
    ]);
  });

  it('sets the IP family by the address of the DNS service', () => {
    const command = commandOf(bootFacts({ kubelet: { clusterDNS: ['fd30::a'], maxPods: 29 } }));

    expect(command.join(' ')).toContain('--ip-family ipv6 --dns-cluster-ip fd30::a');
  });

  it('combines instance store disks if the class requires it', () => {
    expect(commandOf(bootFacts({ usesRaid0: true })).slice(-2)).toEqual(['--local-disks', 'raid0']);
  });

  it('leaves out fields without a flag of the script', () => {
    const kubelet = { registryPullQPS: 10, maxPods: 42 };
    const flags = commandOf(bootFacts({ kubelet, labels: {}, taints: [] })).at(-1);

    expect(flags).toBe('--max-pods=42');
  });

  it('has a flag for each supported field', () => {
    const kubelet = {
      maxPods: 42,
      podsPerCore: 4,
      systemReserved: { cpu: '100m', memory: '1Gi' },
      kubeReserved: { cpu: '200m' },
      evictionHard: { 'memory.available': '5%' },
      evictionSoft: { 'memory.available': '10%' },
      evictionSoftGracePeriod: { 'memory.available': '1m0s' },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      cpuCFSQuota: false,
    };

    expect(words(commandOf(bootFacts({ kubelet, labels: {}, taints: [] })).at(-1) ?? '')).toEqual([
      '--max-pods=42',
      '--pods-per-core=4',
      '--system-reserved="cpu=100m,memory=1Gi"',
      '--kube-reserved="cpu=200m"',
      '--eviction-hard="memory.available<5%"',
      '--eviction-soft="memory.available<10%"',
      '--eviction-soft-grace-period="memory.available=1m0s"',
      '--eviction-max-pod-grace-period=60',
      '--image-gc-high-threshold=85',
      '--image-gc-low-threshold=80',
      '--cpu-cfs-quota=false',
    ]);
  });

  it('runs the custom script first, without carriage returns', () => {
    const parts = partsOf(buildUserData('AL2', bootFacts({ custom: '#!/bin/bash\r\necho hi\r\n' })));

    expect(parts.map(({ body }) => body.split('\n')[1])).toEqual([
      'echo hi',
      'exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1',
    ]);
  });
});

describe('user data of Windows', () => {
  it('is one PowerShell block with the custom lines first', () => {
    const text = buildUserData('Windows2022', bootFacts({ custom: 'Write-Host "hi"\n' }));
    const block = /^<powershell>\n([^<>]*)<\/powershell>\n$/.exec(text)?.[1]?.trimEnd();
    const [custom, file, call = ''] = block?.split('\n') ?? [];

    expect(custom).toBe('Write-Host "hi"');
    expect(file).toBe('[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"');
    expect(words(call)).toEqual([
      '&',
      '$EKSBootstrapScriptFile',
      '-EKSClusterName',
      'demo',
      '-APIServerEndpoint',
      CLUSTER_FACTS.endpoint,
      '-Base64ClusterCA',
      CLUSTER_FACTS.certificateAuthority,
      '-KubeletExtraArgs',
      FLAGS,
      '-DNSClusterIP',
      '10.100.0.10',
    ]);
  });
});
