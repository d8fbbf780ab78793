import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { type BootFacts, UserDataError } from '../../../shared/ec2/node-class/user-data/boot-facts.ts';
import { buildUserData } from '../../../shared/ec2/node-class/user-data/user-data.ts';
import { CLUSTER_FACTS } from '../../support/node-classes.ts';
import { bootFacts } from './boot.ts';

const settingsOf = (over: Partial<BootFacts> = {}) => parse(buildUserData('Bottlerocket', bootFacts(over)));

describe('user data of Bottlerocket', () => {
  it('contains the cluster, the labels and the taints as settings', () => {
    expect(settingsOf()).toEqual({
      settings: {
        kubernetes: {
          'api-server': CLUSTER_FACTS.endpoint,
          'cluster-certificate': CLUSTER_FACTS.certificateAuthority,
          'cluster-name': 'demo',
          'cluster-dns-ip': '10.100.0.10',
          'max-pods': 29,
          'node-labels': { 'karpenter.sh/capacity-type': 'spot', team: 'a' },
          'node-taints': {
            dedicated: ['gpu:NoSchedule'],
            'karpenter.sh/unregistered': [':NoExecute'],
          },
        },
      },
    });
  });

  it('contains a setting for each supported field of the kubelet', () => {
    const kubelet = {
      systemReserved: { memory: '1Gi' },
      kubeReserved: { cpu: '200m' },
      evictionHard: { 'memory.available': '5%' },
      evictionSoft: { 'memory.available': '10%' },
      evictionSoftGracePeriod: { 'memory.available': '1m0s' },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      cpuCFSQuota: false,
    };

    expect(settingsOf({ kubelet })).toMatchObject({
      settings: {
        kubernetes: {
          'system-reserved': { memory: '1Gi' },
          'kube-reserved': { cpu: '200m' },
          'eviction-hard': { 'memory.available': '5%' },
          'eviction-soft': { 'memory.available': '10%' },
          'eviction-soft-grace-period': { 'memory.available': '1m0s' },
          'eviction-max-pod-grace-period': 60,
          'image-gc-high-threshold-percent': '85',
          'image-gc-low-threshold-percent': '80',
          'cpu-cfs-quota-enforced': false,
        },
      },
    });
  });

  it("puts our settings over the user's, drops unknown keys and keeps the rest", () => {
    const custom = `
      [settings.kubernetes]
      api-server = "https://elsewhere"
      max-pods = 5
      made-up = true
      [settings.kubernetes.node-labels]
      mine = "1"
      team = "b"
      [settings.kubernetes.node-taints]
      mine = ["x:NoSchedule"]
      [settings.kubernetes.eviction-hard]
      "memory.available" = "12%"
      [settings.network]
      hostname = "me"
    `;

    expect(settingsOf({ custom })).toMatchObject({
      settings: {
        kubernetes: {
          'api-server': CLUSTER_FACTS.endpoint,
          'max-pods': 29,
          'node-labels': { mine: '1', team: 'a' },
          'eviction-hard': { 'memory.available': '12%' },
        },
        network: { hostname: 'me' },
      },
    });
    expect(JSON.stringify(settingsOf({ custom }))).not.toMatch(/made-up|"mine":\["x/);
  });

  it('cannot be built if the custom user data is not TOML', () => {
    expect(() => settingsOf({ custom: '#!/bin/bash\necho hi' })).toThrow(UserDataError);
  });

  it.each([
    ['1.45.0', true],
    ['v1.45.9', true],
    ['1.46.0', false],
    ['2.0.0', false],
    ['latest', false],
    ['1.46', true],
    ['', true],
  ])('binds instance store with directories of %s: %s', (imageVersion, withDirectories) => {
    const custom = `[settings.bootstrap-commands.mine]\ncommands = [["apiclient", "get"]]\nmode = "once"\nessential = false`;
    const settings = settingsOf({ usesRaid0: true, imageVersion, custom });
    const bind = ['apiclient', 'ephemeral-storage', 'bind'];
    const directories = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];

    expect(settings).toMatchObject({
      settings: {
        'bootstrap-commands': {
          mine: { mode: 'once' },
          '000-mount-instance-storage': {
            commands: [
              ['apiclient', 'ephemeral-storage', 'init'],
              withDirectories ? [...bind, '--dirs', ...directories] : bind,
            ],
            mode: 'always',
            essential: true,
          },
        },
      },
    });
  });
});
