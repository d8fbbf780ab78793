import { isLabelValue } from '../../../api/admission/metadata.ts';
import { isExpression, type WrittenKubelet } from '../../../api/stored-objects/kubelet.ts';
import { CAPACITY_TYPE_LABEL, DO_NOT_SYNC_TAINTS_LABEL, type Labels } from '../../../model/labels.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { ClusterFacts } from '../../../model/nodes/resolved-node-class.ts';
import type { ComputedReserves } from '../../../model/offerings/instance-type.ts';
import { mergeTaints, type Taint, UNREGISTERED_TAINT } from '../../../model/requirements/taints.ts';

/** The inputs of the user data, in any format. */
export interface BootFacts {
  readonly cluster: ClusterFacts;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** The written settings, with `maxPods` and `clusterDNS` filled in. */
  readonly kubelet: WrittenKubelet;
  /** `1.46.0` or `latest`; undefined if unknown. */
  readonly imageVersion?: string;
  /** The instance store disks become one RAID 0 volume for pods. */
  readonly usesRaid0: boolean;
  /** The user data of the class's manifest. */
  readonly custom: string;
}

/** Lists the taints that the node starts with. The last one is removed at registration. */
export const listBootTaints = ({ taints, startupTaints }: NodeClaim): readonly Taint[] =>
  [startupTaints, [UNREGISTERED_TAINT]].reduce(mergeTaints, taints);

/**
 * Lists the labels that a kubelet may set on its own node, sorted by key. The other labels are set
 * at registration. Scripts of some AMI families run with these texts in quotes, as root: a text that
 * is no label value, which only a standalone NodeClaim can contain, is left out.
 *
 * @see the NodeRestriction admission plugin
 */
export function listBootLabels(claim: NodeClaim, capacityType: string): Labels {
  const labels = {
    ...toSingleValueLabels(claim),
    ...claim.labels,
    [CAPACITY_TYPE_LABEL]: capacityType,
    // The node starts with all of its taints, so they need not be added at registration.
    [DO_NOT_SYNC_TAINTS_LABEL]: 'true',
  };
  const own = Object.entries(labels).filter(([key, value]) => !isRestricted(key) && isLabelValue(value));
  return Object.fromEntries(own.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Converts requirements with a single value to labels. */
const toSingleValueLabels = ({ requirements }: NodeClaim): Labels =>
  Object.fromEntries(
    requirements.flatMap(({ key, operator, values = [] }) => {
      const [value] = values;
      return operator === 'In' && values.length === 1 && value !== undefined ? [[key, value]] : [];
    }),
  );

const RESTRICTED_DOMAINS = ['kubernetes.io', 'k8s.io'];

function isRestricted(key: string): boolean {
  const [domain = '', name] = key.split('/');
  if (name === undefined) return false;
  return RESTRICTED_DOMAINS.some((restricted) => domain === restricted || domain.endsWith(`.${restricted}`));
}

/** Values computed for the instance types of a template. */
interface BootSizes {
  readonly maxPods: number;
  readonly reserves?: ComputedReserves;
}

/**
 * Merges the kubelet settings of the node. Written values take precedence over computed defaults.
 */
export const mergeBootKubelet = (
  written: WrittenKubelet,
  { maxPods, reserves = {} }: BootSizes,
  { dnsIp }: Pick<ClusterFacts, 'dnsIp'>,
): WrittenKubelet => ({
  ...(dnsIp !== undefined && { clusterDNS: [dnsIp] }),
  ...written,
  ...resolveReserved(written, 'kubeReserved', reserves),
  ...resolveReserved(written, 'systemReserved', reserves),
  maxPods,
});

/** The kubelet cannot evaluate expressions, so those without a result are dropped. */
function resolveReserved(
  written: WrittenKubelet,
  field: keyof ComputedReserves,
  reserves: ComputedReserves,
): WrittenKubelet {
  const before = written[field];
  if (typeof before !== 'object' || before === null) return {};
  const amounts = Object.entries(before).filter(([, amount]) => !isExpression(amount));
  return { [field]: { ...Object.fromEntries(amounts), ...reserves[field] } };
}

type UserDataReason = 'UserDataInvalid' | 'UserDataSizeLimitExceeded';

/** The custom user data of a class cannot be used. */
export class UserDataError extends Error {
  override readonly name = 'UserDataError';
  /** The reason in conditions and launch errors. */
  readonly reason: UserDataReason;

  constructor(message: string, options: ErrorOptions & { reason?: UserDataReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'UserDataInvalid';
  }
}
