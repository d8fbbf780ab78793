import {
  disabledExpressions,
  expressionsOf,
  failingExpressions,
  invalidExpressions,
} from '../../api/runtime-validation/expression-faults.ts';
import { familyFaults, kubeletFaults } from '../../api/runtime-validation/kubelet-faults.ts';
import {
  readEC2NodeClass,
  type WrittenEC2NodeClass,
} from '../../api/stored-objects/ec2-node-class.ts';
import type { WrittenKubelet } from '../../api/stored-objects/kubelet.ts';
import type { EC2NodeClass, NodeSize } from '../../model/nodes/node-class.ts';
import type { ClusterFacts } from '../../model/nodes/resolved-node-class.ts';
import type { DiscoveryResult } from './conditions.ts';
import { mergeBootKubelet, UserDataError } from './user-data/boot-facts.ts';
import { buildUserData } from './user-data/user-data.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** An objection: how Karpenter calls it, and a sentence. */
interface ValidationRefusal {
  readonly outcome: 'refused';
  readonly reason: string;
  readonly message: string;
}

const refuse = (reason: string, message: string): ValidationRefusal => ({
  outcome: 'refused',
  reason,
  message,
});

/**
 * What can be said against a class without asking anybody: the first objection.
 *
 * @param takesExpressions - in the kubelet: whether the feature gate NodeClassCEL is on
 */
export function validateNodeClass(
  name: string,
  written: WrittenEC2NodeClass,
  cluster: ClusterFacts,
  takesExpressions = false,
): DiscoveryResult<void> {
  const reading = readEC2NodeClass(name, written);
  if (reading.outcome === 'refused') {
    return refuse('UnsupportedNodeClass', reading.findings.map(({ what }) => what).join('; '));
  }
  const { amiFamily } = reading.value;
  const { spec } = written;
  return (
    checkCluster(amiFamily, cluster) ??
    checkKubelet(amiFamily, spec.kubelet ?? {}, takesExpressions) ??
    checkTags(spec, cluster) ??
    checkUserData(amiFamily, spec, cluster) ?? { outcome: 'found', value: undefined }
  );
}

function checkCluster(
  family: EC2NodeClass['amiFamily'],
  { serviceCidr }: ClusterFacts,
): ValidationRefusal | undefined {
  if (family !== 'AL2023' || serviceCidr !== undefined) return undefined;
  const why = 'the address range of Services is not known, and AL2023 nodes cannot join without it';
  return refuse('ClusterCIDRResolutionFailed', why);
}

function checkKubelet(
  family: EC2NodeClass['amiFamily'],
  kubelet: WrittenKubelet,
  takesExpressions: boolean,
): ValidationRefusal | undefined {
  const faults = kubeletFaults(kubelet);
  if (faults.length > 0) return refuse('InvalidKubeletConfiguration', joinFaults(faults));

  const disabled = takesExpressions ? [] : disabledExpressions(kubelet);
  if (disabled.length > 0) return refuse('KubeletExpressionsDisabled', joinFaults(disabled));
  const invalid = takesExpressions ? invalidExpressions(kubelet) : [];
  if (invalid.length > 0) return refuse('KubeletExpressionInvalid', joinFaults(invalid));

  const unsupported = familyFaults(kubelet, family);
  return unsupported.length > 0
    ? refuse('UnsupportedKubeletConfiguration', joinFaults(unsupported))
    : undefined;
}

/**
 * What can be said against its expressions, which are computed for each size. Only a class that has all
 * it depends on is judged by it.
 *
 * @param sizes - of all types that are known; none: nobody can tell yet
 */
export function validateKubeletExpressions(
  { spec: { kubelet = {} } }: WrittenEC2NodeClass,
  sizes: readonly NodeSize[],
): DiscoveryResult<void> {
  if (expressionsOf(kubelet).length === 0) return { outcome: 'found', value: undefined };
  if (sizes.length === 0) return { outcome: 'unknown', message: 'no instance type is known yet' };
  const failing = failingExpressions(kubelet, sizes);
  return failing.length > 0
    ? refuse('KubeletExpressionEvaluationFailed', joinFaults(failing))
    : { outcome: 'found', value: undefined };
}

const joinFaults = (faults: readonly { readonly what: string }[]): string =>
  faults.map(({ what }) => what).join('; ');

/** Who may launch is told by these tags, so nobody else may set them. */
function checkTags({ tags = {} }: Spec, { name }: ClusterFacts): ValidationRefusal | undefined {
  const reservedKeys = new Set([
    'eks:eks-cluster-name',
    'karpenter.sh/nodepool',
    'karpenter.sh/nodeclaim',
    'karpenter.k8s.aws/ec2nodeclass',
    `kubernetes.io/cluster/${name}`,
  ]);
  const conflicting = Object.keys(tags).filter(
    (key) => reservedKeys.has(key) || key.startsWith('kubernetes.io/cluster'),
  );
  if (conflicting.length === 0) return undefined;
  return refuse('TagValidationFailed', `tags that are ours alone: ${conflicting.join(', ')}`);
}

/** As a node without labels and taints would get it. */
function checkUserData(
  family: EC2NodeClass['amiFamily'],
  { userData = '', kubelet = {}, instanceStorePolicy }: Spec,
  cluster: ClusterFacts,
): ValidationRefusal | undefined {
  const facts = {
    cluster,
    labels: {},
    taints: [],
    kubelet: mergeBootKubelet(kubelet, { maxPods: 110 }, cluster),
    usesRaid0: instanceStorePolicy === 'RAID0',
    custom: userData,
  };
  try {
    buildUserData(family, facts);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserDataError)) throw error;
    return refuse(error.reason, error.message);
  }
}
