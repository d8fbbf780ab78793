import { parse, stringify, type TomlTable } from 'smol-toml';
import { ownValue } from '../../../model/own-value.ts';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { readKubeletFields } from './kubelet-flags.ts';

type Table = Readonly<Record<string, unknown>>;

/**
 * Builds the user data of Bottlerocket: settings in TOML, with ours over the user's.
 *
 * @see Bottlerocket, "settings.kubernetes"
 * @throws UserDataError - the custom user data is not TOML
 */
export function buildBottlerocketUserData(facts: BootFacts): string {
  const written = parseToml(facts.custom);
  const settings = readTable(written, 'settings');
  const kubernetes = readTable(settings, 'kubernetes');
  return stringify({
    ...written,
    settings: {
      ...settings,
      ...(facts.usesRaid0 && { 'bootstrap-commands': buildBootstrapCommands(settings, facts) }),
      kubernetes: {
        // Bottlerocket does not start with an unknown key.
        ...Object.fromEntries(Object.entries(kubernetes).filter(([key]) => BOTTLEROCKET_KUBERNETES_KEYS.has(key))),
        ...buildKubernetesSettings(facts),
        'node-labels': { ...readTable(kubernetes, 'node-labels'), ...facts.labels },
        'node-taints': groupTaintsByKey(facts),
      },
    },
  });
}

function parseToml(text: string): TomlTable {
  try {
    return parse(text);
  } catch (cause) {
    throw toTomlError(cause);
  }
}

const toTomlError = (cause: unknown): UserDataError =>
  new UserDataError('Bottlerocket reads user data as TOML, and this is none', { cause });

function readTable(table: Table, key: string): Table {
  const value = ownValue(table, key);
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isTable ? { ...value } : {};
}

function buildKubernetesSettings({ cluster, kubelet }: BootFacts): Table {
  const fields = readKubeletFields(kubelet);
  const [dns] = fields.clusterDNS ?? [];
  const settings = {
    'api-server': cluster.endpoint,
    'cluster-certificate': cluster.certificateAuthority,
    'cluster-name': cluster.name,
    'cluster-dns-ip': dns,
    'max-pods': fields.maxPods,
    'system-reserved': fields.systemReserved,
    'kube-reserved': fields.kubeReserved,
    'eviction-hard': fields.evictionHard,
    'eviction-soft': fields.evictionSoft,
    'eviction-soft-grace-period': fields.evictionSoftGracePeriod,
    'eviction-max-pod-grace-period': fields.evictionMaxPodGracePeriod,
    'image-gc-high-threshold-percent': toText(fields.imageGCHighThresholdPercent),
    'image-gc-low-threshold-percent': toText(fields.imageGCLowThresholdPercent),
    'cpu-cfs-quota-enforced': fields.cpuCFSQuota,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

const toText = (percent: number | undefined): string | undefined => percent?.toString();

/** Grouped by key, because a key may have several effects. */
function groupTaintsByKey({ taints }: BootFacts): Readonly<Record<string, readonly string[]>> {
  const byKey: Record<string, string[]> = {};
  for (const { key, value = '', effect } of taints) {
    byKey[key] = [...(ownValue(byKey, key) ?? []), `${value}:${effect}`];
  }
  return byKey;
}

const MOUNT = '000-mount-instance-storage';
const BIND = ['apiclient', 'ephemeral-storage', 'bind'];
const DIRECTORIES = ['--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];

const buildBootstrapCommands = (settings: Table, { imageVersion }: BootFacts): Table => ({
  ...readTable(settings, 'bootstrap-commands'),
  [MOUNT]: {
    commands: [
      ['apiclient', 'ephemeral-storage', 'init'],
      bindsDirectoriesByDefault(imageVersion) ? BIND : [...BIND, ...DIRECTORIES],
    ],
    mode: 'always',
    essential: true,
  },
});

/** From 1.46.0 on, Bottlerocket binds the directories itself. */
function bindsDirectoriesByDefault(version: string | undefined): boolean {
  if (version === 'latest') return true;
  const parts = /^v?(\d+)\.(\d+)\.\d+$/.exec(version ?? '');
  if (!parts) return false;
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  return major > 1 || (major === 1 && minor >= 46);
}

/**
 * The valid keys below `settings.kubernetes`.
 *
 * @see Bottlerocket, settings model of Kubernetes
 */
const BOTTLEROCKET_KUBERNETES_KEYS: ReadonlySet<string> = new Set([
  'allowed-unsafe-sysctls',
  'api-server',
  'cloud-provider',
  'cluster-certificate',
  'cluster-dns-ip',
  'cluster-domain',
  'cluster-name',
  'container-log-max-files',
  'container-log-max-size',
  'container-log-max-workers',
  'container-log-monitor-interval',
  'cpu-cfs-quota-enforced',
  'cpu-manager-policy',
  'cpu-manager-policy-options',
  'cpu-manager-reconcile-period',
  'credential-providers',
  'device-ownership-from-security-context',
  'event-burst',
  'event-qps',
  'eviction-hard',
  'eviction-max-pod-grace-period',
  'eviction-soft',
  'eviction-soft-grace-period',
  'hostname-override-source',
  'ids-per-pod',
  'image-gc-high-threshold-percent',
  'image-gc-low-threshold-percent',
  'kube-api-burst',
  'kube-api-qps',
  'kube-reserved',
  'log-level',
  'max-pods',
  'memory-manager-policy',
  'memory-manager-reserved-memory',
  'node-labels',
  'node-taints',
  'pod-pids-limit',
  'registry-burst',
  'registry-qps',
  'seccomp-default',
  'server-tls-bootstrap',
  'shutdown-grace-period',
  'shutdown-grace-period-for-critical-pods',
  'single-process-oom-kill',
  'static-pods',
  'system-reserved',
  'topology-manager-policy',
  'topology-manager-policy-options',
  'topology-manager-scope',
]);
