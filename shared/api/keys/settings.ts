/** A setting, by the environment variable that Karpenter's users know. */
export interface SettingEntry {
  readonly name: string;
  /** Empty: none. */
  readonly usual: string;
  readonly valid: string;
  readonly meaning: string;
}

const setting = (name: string, usual: string, valid: string, meaning: string): SettingEntry => ({
  name,
  usual,
  valid,
  meaning,
});

export const SETTINGS: readonly SettingEntry[] = [
  setting('CLUSTER_NAME', '', 'required', 'the EKS cluster'),
  setting('CLUSTER_ENDPOINT', '', 'absolute URL', 'its API server; looked up when absent'),
  setting(
    'CLUSTER_CA_BUNDLE',
    '',
    'base64',
    'its certificate authority; looked up when absent; part of the hash of classes',
  ),
  setting(
    'BATCH_IDLE_DURATION',
    '1s',
    'duration',
    'pending pods are planned for when none came for so long',
  ),
  setting('BATCH_MAX_DURATION', '10s', 'duration', 'and after so long at the latest'),
  setting(
    'PREFERENCE_POLICY',
    'Respect',
    'Respect, Ignore',
    'whether preferences of pods count until nothing else helps',
  ),
  setting(
    'MIN_VALUES_POLICY',
    'Strict',
    'Strict, BestEffort',
    'what happens where fewer values than minValues exist',
  ),
  setting(
    'IGNORE_DRA_REQUESTS',
    'true',
    'true, false',
    'whether pods with claims of devices are left alone',
  ),
  setting('SCHEDULER_CONFIG', '', 'YAML', 'default spread constraints, as kube-scheduler has them'),
  setting('FEATURE_GATES', '', 'A=true,B=false', 'gates of the core'),
  setting('AWS_FEATURE_GATES', '', 'A=true,B=false', 'gates of the AWS part'),
  setting('INTERRUPTION_QUEUE', '', 'name', 'queue of interruption notices; the stack makes one'),
  setting('ISOLATED_VPC', 'false', 'true, false', 'no calls to the pricing API'),
  setting(
    'EKS_CONTROL_PLANE',
    'false',
    'true, false',
    'whether EKS is asked for endpoint and version',
  ),
  setting(
    'VM_MEMORY_OVERHEAD_PERCENT',
    '0.075',
    '0 or more',
    'share of memory that the hypervisor keeps, until a node shows it',
  ),
  setting('RESERVED_ENIS', '0', '0 or more', 'network interfaces that are not for pods'),
  setting('DISABLE_DRY_RUN', 'false', 'true, false', 'no trial calls when a class is judged'),
  setting('ENABLE_ZONAL_SHIFT', 'false', 'true, false', 'zones that are shifted away are avoided'),
  setting('AMI_REFRESH_INTERVAL', '1m', 'duration, 1m or more', 'how often images are looked up'),
  setting(
    'SUBNET_REFRESH_INTERVAL',
    '1m',
    'duration, 1m or more',
    'how often subnets are looked up',
  ),
  setting('KUBE_CLIENT_QPS', '200', 'whole number', 'requests to the API server in a second'),
  setting('KUBE_CLIENT_BURST', '300', 'whole number', 'and at once'),
  setting('LOG_LEVEL', 'info', 'debug, info, error', 'what is logged'),
];

/** Read by Karpenter's Deployment, and without effect where nothing runs in the cluster. */
export const SETTINGS_WITHOUT_EFFECT: readonly string[] = [
  'KARPENTER_SERVICE',
  'LOG_OUTPUT_PATHS',
  'LOG_ERROR_OUTPUT_PATHS',
  'METRICS_PORT',
  'HEALTH_PROBE_PORT',
  'ENABLE_PROFILING',
  'DISABLE_LEADER_ELECTION',
  'LEADER_ELECTION_NAME',
  'LEADER_ELECTION_NAMESPACE',
  'DISABLE_CONTROLLER_WARMUP',
  'DISABLE_CLUSTER_STATE_OBSERVABILITY',
  'MEMORY_LIMIT',
  'CPU_REQUESTS',
];
