import { bashWords } from './bash-words.ts';
import type { BootReading } from './boot-reading.ts';

/** Flags of the kubelet with their names in its configuration file. */
const MAPS: Readonly<Record<string, readonly [field: string, sign: string]>> = {
  'system-reserved': ['systemReserved', '='],
  'kube-reserved': ['kubeReserved', '='],
  'eviction-hard': ['evictionHard', '<'],
  'eviction-soft': ['evictionSoft', '<'],
  'eviction-soft-grace-period': ['evictionSoftGracePeriod', '='],
};
const VALUES: Readonly<Record<string, string>> = {
  'max-pods': 'maxPods',
  'pods-per-core': 'podsPerCore',
  'eviction-max-pod-grace-period': 'evictionMaxPodGracePeriod',
  'image-gc-high-threshold': 'imageGCHighThresholdPercent',
  'image-gc-low-threshold': 'imageGCLowThresholdPercent',
  'cpu-cfs-quota': 'cpuCFSQuota',
};

/**
 * Parses a command line of the kubelet.
 *
 * @throws Error - it contains an unknown flag
 */
export function readKubeletFlags(line: string): Pick<BootReading, 'labels' | 'taints' | 'kubelet'> {
  const flags = new Map(bashWords(line).map(flagOf));
  const kubelet = [...flags].flatMap(([flag, value]) => settingOf(flag, value));
  return {
    labels: pairs(flags.get('node-labels') ?? '', '='),
    taints: items(flags.get('register-with-taints') ?? ''),
    kubelet: Object.fromEntries(kubelet),
  };
}

function flagOf(word: string): readonly [flag: string, value: string] {
  const [, flag, value] = /^--([a-z-]+)=(.*)$/s.exec(word) ?? [];
  if (flag === undefined || value === undefined) throw new Error(`${word} is no flag`);
  return [flag, value];
}

function settingOf(flag: string, value: string): readonly (readonly [string, unknown])[] {
  if (flag === 'node-labels' || flag === 'register-with-taints') return [];
  const map = MAPS[flag];
  if (map) return [[map[0], pairs(value, map[1])]];
  const field = VALUES[flag];
  if (field === undefined) throw new Error(`no kubelet knows --${flag}`);
  return [[field, JSON.parse(value)]];
}

const items = (text: string): readonly string[] => (text === '' ? [] : text.split(','));

const pairs = (text: string, sign: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    items(text).map((item) => {
      const at = item.indexOf(sign);
      return [item.slice(0, at), item.slice(at + sign.length)];
    }),
  );
