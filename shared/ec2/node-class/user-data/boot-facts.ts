import { isExpression, type WrittenKubelet } from '../../../api/stored-objects/kubelet.ts';
import {
  CAPACITY_TYPE_LABEL,
  DO_NOT_SYNC_TAINTS_LABEL,
  type Labels,
} from '../../../model/labels.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { ClusterFacts } from '../../../model/nodes/resolved-node-class.ts';
import type { ComputedReserves } from '../../../model/offerings/instance-type.ts';
import { mergeTaints, type Taint, UNREGISTERED_TAINT } from '../../../model/requirements/taints.ts';

/** All that a node is told before it starts, whatever the format of its family. */
export interface BootFacts {
  readonly cluster: ClusterFacts;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** As written, with `maxPods` and `clusterDNS` filled in. */
  readonly kubelet: WrittenKubelet;
  /** As in `1.46.0`, or `latest`; absent: nobody can tell. */
  readonly imageVersion?: string;
  /** The local disks become one volume for pods. */
  readonly usesRaid0: boolean;
  /** The user's own user data. */
  readonly custom: string;
}

/** Every taint that the node starts with: the last one goes when it is registered. */
export const listBootTaints = ({ taints, startupTaints }: NodeClaim): readonly Taint[] =>
  [startupTaints, [UNREGISTERED_TAINT]].reduce(mergeTaints, taints);

/**
 * The labels that a kubelet may give itself, sorted by key: the others follow when it is registered.
 *
 * @see the NodeRestriction admission plugin
 */
export function listBootLabels(claim: NodeClaim, capacityType: string): Labels {
  const labels = {
    ...toSingleValueLabels(claim),
    ...claim.labels,
    [CAPACITY_TYPE_LABEL]: capacityType,
    // It starts with all of its taints, so nobody has to add them once more.
    [DO_NOT_SYNC_TAINTS_LABEL]: 'true',
  };
  const own = Object.entries(labels).filter(([key]) => !isRestricted(key));
  return Object.fromEntries(own.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Requirements that leave a single value. */
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
  return RESTRICTED_DOMAINS.some(
    (restricted) => domain === restricted || domain.endsWith(`.${restricted}`),
  );
}

/** What is reckoned for the instance types of a template. */
interface BootSizes {
  readonly maxPods: number;
  readonly reserves?: ComputedReserves;
}

/** The kubelet's settings as the node gets them. A written value wins over what we would say. */
export const mergeBootKubelet = (
  written: WrittenKubelet,
  { maxPods, reserves = {} }: BootSizes,
  { dnsIp }: Pick<ClusterFacts, 'dnsIp'>,
): WrittenKubelet => ({
  ...(dnsIp === undefined ? {} : { clusterDNS: [dnsIp] }),
  ...written,
  ...resolveReserved(written, 'kubeReserved', reserves),
  ...resolveReserved(written, 'systemReserved', reserves),
  maxPods,
});

/** No kubelet reads an expression: what could not be computed is as if nothing was said. */
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

/** The user data of a class cannot become a node's. */
export class UserDataError extends Error {
  override readonly name = 'UserDataError';
  /** As conditions and launches call it. */
  readonly reason: UserDataReason;

  constructor(message: string, options: ErrorOptions & { reason?: UserDataReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'UserDataInvalid';
  }
}
