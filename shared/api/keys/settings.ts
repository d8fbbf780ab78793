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
  setting('CLUSTER_NAME', '', 'required', 'The name of the EKS cluster.', {
    option: 'cluster',
    controller: '--cluster',
  }),
  setting('CLUSTER_ENDPOINT', '', 'https URL', 'The address of the API server. Default: the one that EKS reports.', {
    option: 'endpoint',
  }),
  setting(
    'CLUSTER_CA_BUNDLE',
    '',
    'base64',
    'The certificate authority of the API server. Default: the one that EKS reports. If it changes, Mortise takes the cluster for another one and does nothing until an operator confirms it.',
    { option: 'certificateAuthority' },
  ),
  setting(
    'BATCH_IDLE_DURATION',
    '1s',
    'duration',
    'Mortise plans for pending pods when no new one has appeared for this time.',
    inBoth('batchIdleMs'),
  ),
  setting(
    'BATCH_MAX_DURATION',
    '10s',
    'duration',
    'The longest time that a pending pod waits for others before Mortise plans.',
    inBoth('batchMaxMs'),
  ),
  setting(
    'LAUNCHES_PER_MINUTE',
    '1000',
    'whole number, 1 or more',
    'The most nodes that the cluster launches in a minute. The limits of the NodePools apply as well.',
    inBoth('launchesPerMinute'),
  ),
  setting(
    'MAX_HOURLY_USD',
    '10000',
    'whole number, 1 or more',
    'The most that all instances of the cluster may cost in an hour, at the prices of their launch.',
    inBoth('maxHourlyUsd'),
  ),
  setting(
    'MAX_NODES',
    '3 × peak of the last day, at least 20',
    'whole number, 1 or more',
    'The most nodes that the cluster may have at the same time. The default rises as nodes become ready. It does not apply if `MAX_HOURLY_USD` is set.',
    inBoth('maxNodes'),
  ),
  setting(
    'PREFERENCE_POLICY',
    'Respect',
    'Respect, Ignore',
    '`Respect`: a preference of a pod counts as a requirement as long as a node can meet it. `Ignore`: preferences have no effect.',
    inBoth('preferencePolicy'),
  ),
  setting(
    'MIN_VALUES_POLICY',
    'Strict',
    'Strict, BestEffort',
    '`Strict`: a NodePool launches nothing if fewer values than `minValues` remain. `BestEffort`: it launches with the values that remain.',
    inBoth('minValuesPolicy'),
  ),
  setting(
    'REBALANCE_POLICY',
    'Ignore',
    'Ignore, Replace',
    'What Mortise does when EC2 recommends to leave a spot instance: nothing, or replace its node as a drifted one.',
    inBoth('rebalancePolicy'),
  ),
  setting(
    'IGNORE_DRA_REQUESTS',
    'true',
    'true, false',
    '`true`: Mortise launches nothing for pods with ResourceClaims.',
    inBoth('ignoreDraRequests'),
  ),
  setting(
    'SCHEDULER_CONFIG',
    '',
    '`podTopologySpread.defaultConstraints` in YAML or JSON',
    'The default topology spread of kube-scheduler, if your cluster configures one. It applies to pods without constraints of their own.',
    inBoth('schedulerConfig'),
  ),
  setting(
    'COMMITTED_CAPACITY',
    '',
    '`reservedInstances` and `savingsPlans` in YAML or JSON',
    'Reserved instances and Savings Plans of the account. Instances that they cover cost nothing more, so they are launched first ([format](../guides/committed-capacity.md)).',
    inBoth('committedCapacity'),
  ),
  setting(
    'PER_NODE_HOURLY_USD',
    '0.03',
    'USD, 0 or more',
    'What a node costs per hour besides its instance. A larger figure gives fewer and larger nodes. An annotation of a NodePool replaces it.',
    inBoth('perNodeHourlyUsd'),
  ),
  setting(
    'CONSOLIDATION_PAYBACK',
    '1h',
    'duration, or Any',
    'The time within which a consolidation must save what it costs. It costs the evictions, and the time in which old and new nodes run. `Any`: evictions have no price, as in Karpenter.',
    inBoth('consolidationPayback'),
  ),
  setting(
    'EVICTION_COST_USD',
    '0.0125',
    'USD, 0 or more',
    'The price of evicting a pod, when Mortise weighs a consolidation. It is higher for pods that start slowly, have just started, or use up their PodDisruptionBudget.',
    inBoth('evictionCostUsd'),
  ),
  setting(
    'GROWTH_WINDOW',
    '1h',
    'duration',
    'How long launches for waiting pods count as growth of their NodePool. New nodes of a NodePool that grows steadily have room for a mixture of the pods that started in this time, as much as it launched, up to a twentieth of the NodePool and one node of 16 CPUs; and a consolidation of its nodes has to pay back before the NodePool launches as much again. `0s`: nodes are launched for waiting pods alone, whatever was launched before.',
    inBoth('growthWindow'),
  ),
  setting(
    'STEER_PODS',
    'true',
    'true, false',
    'New nodes get the taint `mortise.sh/expensive-pool:PreferNoSchedule` if a cheaper NodePool of the same weight suits some of the pods that may run there, and `mortise.sh/fill-last:PreferNoSchedule` for their first five minutes if their room is for pods that the other nodes of their plan cannot take. `false`: no node gets them, and running nodes lose them within a minute.',
    inBoth('steerPods'),
  ),
  setting(
    'SURPLUS_NODES',
    'Taint',
    'Ignore, Taint, TaintAndPodDeletionCost',
    'The treatment of nodes that their NodePool could do without. `Taint`: they get the taint `mortise.sh/surplus:PreferNoSchedule`, so that new pods prefer other nodes. `TaintAndPodDeletionCost`: pods of ReplicaSets also get a deletion cost from 0 to -3, so that ReplicaSets that become smaller delete pods on the most wasteful nodes first. This needs the right to patch pods, which you give by namespace; where it is missing, pods stay as they are. Such nodes become empty with few evictions.',
    inBoth('surplusNodes'),
  ),
  setting(
    'VM_MEMORY_OVERHEAD_PERCENT',
    '0.075',
    'a share, 0 to below 1',
    "The share of an instance's memory that its node does not offer. It applies until a node of that type has reported its memory.",
    inBoth('vmMemoryOverheadPercent'),
  ),
  setting(
    'RESERVED_ENIS',
    '0',
    'whole number, 0 or more',
    'The number of network interfaces of each node that give pods no addresses.',
    inBoth('reservedEnis'),
  ),
  setting(
    'ISOLATED_VPC',
    'false',
    'true, false',
    '`true`: Mortise does not call IAM, and `mortise controller` without a stack does not call the price list. EC2NodeClasses must set `spec.instanceProfile`.',
    inBoth('isolatedVpc'),
  ),
  setting(
    'DELETED_CLUSTER_AFTER_MINUTES',
    '60',
    'minutes, 10 to 99999',
    'If EKS does not find the cluster for this time, Mortise terminates its instances and deletes its launch templates and instance profiles.',
    inBoth('deletedClusterAfterMinutes'),
  ),
  setting(
    'DISABLE_DRY_RUN',
    'false',
    'true, false',
    '`true`: an EC2NodeClass becomes Ready without a dry run of its launch.',
    inBoth('disableDryRun'),
  ),
  setting(
    'ENABLE_ZONAL_SHIFT',
    'false',
    'true, false',
    '`true`: in a zone that ARC shifts the cluster away from, Mortise launches and disrupts nothing. The cluster must be registered with ARC.',
    inBoth('enableZonalShift'),
  ),
  setting('FEATURE_GATES', '', 'A=true,B=false', 'Feature gates of the core, see below.', inBoth('featureGates')),
  setting(
    'AWS_FEATURE_GATES',
    '',
    'A=true,B=false',
    'Feature gates of the AWS part, see below.',
    inBoth('awsFeatureGates'),
  ),
  setting(
    'EVENT_KINDS',
    '',
    'all, or kinds separated by commas',
    'The [events](events.md) that are published on EventBridge.',
    inBoth('eventKinds'),
  ),
  setting(
    'EVENT_BUS',
    'default',
    'the name of an event bus',
    'The event bus of the same account and region on which `EVENT_KINDS` are published.',
    inBoth('eventBus'),
  ),
  setting(
    'VOLUME_KEYS',
    '',
    'ARNs of KMS keys, separated by commas',
    'The keys with which volumes of nodes are encrypted: see [encrypted volumes](../guides/encrypted-volumes.md). The controller uses what its role allows: `--print-setup iam` prints the rights.',
    inBoth('volumeKeys'),
  ),
  setting(
    'IMAGE_PARAMETERS',
    '',
    'names or ARNs of SSM parameters, separated by commas',
    'Parameters of your own that EC2NodeClasses may name as `ssmParameter`. The controller reads what its role allows: `--print-setup iam` prints the rights.',
    inBoth('imageParameters'),
  ),
  setting(
    'LOG_LEVEL',
    'info',
    'debug, info, error',
    'The lowest level of log lines. `debug`: a line per call to the API server or AWS. For the functions of the stack: option `debugFunctions`.',
    {
      controller: 'variable',
    },
  ),
  setting('METRICS_PORT', '8080', '0 to 65535', 'The port of `/metrics`.', {
    controller: 'variable',
  }),
  setting('HEALTH_PROBE_PORT', '8081', '0 to 65535', 'The port of `/healthz` and `/readyz`.', {
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
    'The stack creates its own queue. `mortise controller` without a stack reads this variable.',
  ),
  fixed(
    'LEGACY_NODE_REPAIR',
    'Unhealthy nodes are replaced within budgets, and their drain has a deadline of 5 or 10 minutes.',
  ),
  fixed('EKS_CONTROL_PLANE', 'Mortise asks EKS for endpoint and version.'),
  fixed('AMI_REFRESH_INTERVAL', 'Mortise resolves each EC2NodeClass again at fixed intervals.'),
  fixed('SUBNET_REFRESH_INTERVAL', 'Mortise resolves each EC2NodeClass again at fixed intervals.'),
  fixed('SECURITY_GROUP_REFRESH_INTERVAL', 'Mortise resolves each EC2NodeClass again at fixed intervals.'),
  fixed('KUBE_CLIENT_QPS', 'Mortise sends few requests, and waits when the API server asks it to.'),
  fixed('KUBE_CLIENT_BURST', 'As for `KUBE_CLIENT_QPS`.'),
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
  ].map((name) => fixed(name, "It concerns Karpenter's own pods, which Mortise does not have.")),
];
