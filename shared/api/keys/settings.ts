/** A setting, named by the environment variable that Karpenter uses. */
export interface SettingEntry {
  readonly name: string;
  /** The default; empty for none. */
  readonly usual: string;
  readonly valid: string;
  readonly meaning: string;
  /** The context option of `cdk deploy -c`; `undefined` if the stack has none. */
  readonly option?: string;
  /** The flag of `mortise controller`; `undefined` if it has none. */
  readonly controller?: 'variable' | `--${string}`;
}

const setting = (
  name: string,
  usual: string,
  valid: string,
  meaning: string,
  told: Pick<SettingEntry, 'option' | 'controller'> = {},
): SettingEntry => ({ name, usual, valid, meaning, ...told });

const inBoth = (option: string): Pick<SettingEntry, 'option' | 'controller'> => ({
  option,
  controller: 'variable',
});

/** All settings that have an effect, and where to set them. */
export const SETTINGS: readonly SettingEntry[] = [
  setting('CLUSTER_NAME', '', 'required', 'the EKS cluster', {
    option: 'cluster',
    controller: '--cluster',
  }),
  setting('CLUSTER_ENDPOINT', '', 'https URL', 'its API server; EKS is asked when absent', {
    option: 'endpoint',
  }),
  setting(
    'CLUSTER_CA_BUNDLE',
    '',
    'base64',
    'its certificate authority; EKS is asked when absent. Another one is another cluster: nothing is done until a person has looked',
    { option: 'certificateAuthority' },
  ),
  setting(
    'BATCH_IDLE_DURATION',
    '1s',
    'duration',
    'pending pods are planned for when none came for so long',
    inBoth('batchIdleMs'),
  ),
  setting(
    'BATCH_MAX_DURATION',
    '10s',
    'duration',
    'and after so long at the latest',
    inBoth('batchMaxMs'),
  ),
  setting(
    'LAUNCHES_PER_MINUTE',
    '1000',
    'whole number, 1 or more',
    'nodes that the cluster launches in a minute, whatever its NodePools allow',
    inBoth('launchesPerMinute'),
  ),
  setting(
    'MAX_HOURLY_USD',
    '10000',
    'whole number, 1 or more',
    'what all instances of the cluster may cost in an hour, at the prices of their launch',
    inBoth('maxHourlyUsd'),
  ),
  setting(
    'MAX_NODES',
    '3 × peak of the last day, at least 20',
    'whole number, 1 or more',
    'nodes that the cluster may have at the same time. The default rises as nodes become ready, and does not apply if `MAX_HOURLY_USD` is set',
    inBoth('maxNodes'),
  ),
  setting(
    'PREFERENCE_POLICY',
    'Respect',
    'Respect, Ignore',
    'whether preferences of pods count until nothing else helps',
    inBoth('preferencePolicy'),
  ),
  setting(
    'MIN_VALUES_POLICY',
    'Strict',
    'Strict, BestEffort',
    'what happens where fewer values than minValues exist',
    inBoth('minValuesPolicy'),
  ),
  setting(
    'REBALANCE_POLICY',
    'Ignore',
    'Ignore, Replace',
    'what happens to a spot instance that EC2 recommends to leave: nothing, or it is replaced like a drifted node',
    inBoth('rebalancePolicy'),
  ),
  setting(
    'IGNORE_DRA_REQUESTS',
    'true',
    'true, false',
    'whether pods with claims of devices are left alone',
    inBoth('ignoreDraRequests'),
  ),
  setting(
    'SCHEDULER_CONFIG',
    '',
    '`podTopologySpread.defaultConstraints` in YAML or JSON',
    'how kube-scheduler spreads pods that say nothing of it, where it was told to',
    inBoth('schedulerConfig'),
  ),
  setting(
    'PER_NODE_HOURLY_USD',
    '0.03',
    'USD, 0 or more',
    'what a node costs besides its instance: larger figures give fewer and larger nodes; a NodePool may have an annotation of its own',
    inBoth('perNodeHourlyUsd'),
  ),
  setting(
    'CONSOLIDATION_PAYBACK',
    '1h',
    'duration, or Any',
    'how soon a consolidation has to save what it costs: its evictions, and the time in which old and new nodes run. `Any`: moves have no price, as in Karpenter',
    inBoth('consolidationPayback'),
  ),
  setting(
    'EVICTION_COST_USD',
    '0.01',
    'USD, 0 or more',
    'what the eviction of a pod counts as, when a consolidation is weighed. More for pods that start slowly, have just started, or use up their PodDisruptionBudget',
    inBoth('evictionCostUsd'),
  ),
  setting(
    'VM_MEMORY_OVERHEAD_PERCENT',
    '0.075',
    'a share, 0 to below 1',
    'how much of its memory a machine is reckoned to keep from its node, until one has shown it',
    inBoth('vmMemoryOverheadPercent'),
  ),
  setting(
    'RESERVED_ENIS',
    '0',
    'whole number, 0 or more',
    'network interfaces of each node that pods get no addresses from',
    inBoth('reservedEnis'),
  ),
  setting(
    'ISOLATED_VPC',
    'false',
    'true, false',
    'IAM and the price list are not called: classes name spec.instanceProfile, and on-demand prices are those that came along',
    inBoth('isolatedVpc'),
  ),
  setting(
    'DELETED_CLUSTER_AFTER_MINUTES',
    '60',
    'minutes, 10 to 99999',
    'how long EKS must not have the cluster before its instances, launch templates and instance profiles are ended',
    inBoth('deletedClusterAfterMinutes'),
  ),
  setting(
    'DISABLE_DRY_RUN',
    'false',
    'true, false',
    'no trial calls to EC2 before a class is Ready',
    inBoth('disableDryRun'),
  ),
  setting(
    'ENABLE_ZONAL_SHIFT',
    'false',
    'true, false',
    'zones that ARC shifts the cluster away from get no nodes, and theirs are left alone. The cluster must be registered with ARC',
    inBoth('enableZonalShift'),
  ),
  setting('FEATURE_GATES', '', 'A=true,B=false', 'gates of the core', inBoth('featureGates')),
  setting(
    'AWS_FEATURE_GATES',
    '',
    'A=true,B=false',
    'gates of the AWS part',
    inBoth('awsFeatureGates'),
  ),
  setting('LOG_LEVEL', 'info', 'debug, info, error', 'what is logged', { controller: 'variable' }),
  setting('METRICS_PORT', '8080', '0 to 65535', 'where `/metrics` is served', {
    controller: 'variable',
  }),
  setting('HEALTH_PROBE_PORT', '8081', '0 to 65535', 'where `/healthz` and `/readyz` are served', {
    controller: 'variable',
  }),
];

/** A variable of Karpenter that is ignored, with the fixed behaviour. */
export interface FixedSetting {
  readonly name: string;
  readonly instead: string;
}

const fixed = (name: string, instead: string): FixedSetting => ({ name, instead });

/** Variables of Karpenter that change nothing here. */
export const FIXED_SETTINGS: readonly FixedSetting[] = [
  fixed(
    'INTERRUPTION_QUEUE',
    'the stack makes its own queue and reads it; `mortise controller` reads the variable',
  ),
  fixed('EKS_CONTROL_PLANE', 'EKS is asked for endpoint and version'),
  fixed('AMI_REFRESH_INTERVAL', 'classes are resolved again by their own clock'),
  fixed('SUBNET_REFRESH_INTERVAL', 'classes are resolved again by their own clock'),
  fixed('KUBE_CLIENT_QPS', 'requests to the API server are few, and wait when it says so'),
  fixed('KUBE_CLIENT_BURST', 'the same'),
  ...[
    'KARPENTER_SERVICE',
    'LOG_OUTPUT_PATHS',
    'LOG_ERROR_OUTPUT_PATHS',
    'ENABLE_PROFILING',
    'DISABLE_LEADER_ELECTION',
    'LEADER_ELECTION_NAME',
    'LEADER_ELECTION_NAMESPACE',
    'DISABLE_CONTROLLER_WARMUP',
    'DISABLE_CLUSTER_STATE_OBSERVABILITY',
    'MEMORY_LIMIT',
    'CPU_REQUESTS',
  ].map((name) => fixed(name, 'nothing runs in the cluster that it could be about')),
];
