import type { Setting } from './setting.ts';
import { BATCHES } from './tables/batches.ts';
import { CLASSES } from './tables/classes.ts';
import { CLUSTER } from './tables/cluster.ts';
import { DECISIONS } from './tables/decisions.ts';
import { PUBLISHED_EVENTS } from './tables/events.ts';
import { CAPS, DELETED_CLUSTERS } from './tables/limits.ts';
import { PROCESS } from './tables/process.ts';

/** All settings that have an effect, in the order of the reference page. */
export const SETTINGS: readonly Setting[] = [
  ...Object.values(CLUSTER),
  ...Object.values(BATCHES),
  ...Object.values(CAPS),
  ...Object.values(DECISIONS),
  ...Object.values(CLASSES),
  ...Object.values(DELETED_CLUSTERS),
  ...Object.values(PUBLISHED_EVENTS),
  ...Object.values(PROCESS),
];

/** The default, for readers: a text of the setting's form, or a sentence. */
export const describeDefault = ({ usual = '', byDefault }: Pick<Setting, 'usual' | 'byDefault'>): string =>
  byDefault ?? (usual === '' ? '' : `\`${usual}\``);

/** A variable of Karpenter that is ignored, with the fixed behaviour. */
export interface FixedSetting {
  readonly variable: string;
  readonly instead: string;
}

const fixed = (variable: string, instead: string): FixedSetting => ({ variable, instead });

/** Variables of Karpenter that change nothing here. */
export const FIXED_SETTINGS: readonly FixedSetting[] = [
  fixed(
    'INTERRUPTION_QUEUE',
    'The stack creates its own queue. `mortise controller` without a stack reads this variable.',
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
  ].map((variable) => fixed(variable, "It concerns Karpenter's own pods, which Mortise does not have.")),
];
