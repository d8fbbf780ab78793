import type { WrittenEC2NodeClass } from '../../api/ec2-node-class.ts';
import type { WrittenKubelet } from '../../api/kubelet.ts';
import { readEC2NodeClass } from '../../api/read-ec2-node-class.ts';
import { failingExpressions, invalidExpressions } from '../../api/runtime/expression-faults.ts';
import { disabledExpressions, expressionsOf } from '../../api/runtime/kubelet-expressions.ts';
import { familyFaults, kubeletFaults } from '../../api/runtime/kubelet-faults.ts';
import type { EC2NodeClass } from '../../model/node-class.ts';
import type { NodeSize } from '../../model/node-size.ts';
import type { ClusterFacts } from '../../model/resolved-node-class.ts';
import { bootKubelet } from './user-data/boot-facts.ts';
import type { Found } from './conditions.ts';
import { UserDataError } from './user-data/errors.ts';
import { userDataOf } from './user-data/user-data.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** An objection: how Karpenter calls it, and a sentence. */
interface Refusal {
  readonly outcome: 'refused';
  readonly reason: string;
  readonly message: string;
}

const refused = (reason: string, message: string): Refusal => ({
  outcome: 'refused',
  reason,
  message,
});

/**
 * What can be said against a class without asking anybody: the first objection.
 *
 * @param takesExpressions - in the kubelet: whether the feature gate NodeClassCEL is on
 */
export function validate(
  name: string,
  written: WrittenEC2NodeClass,
  cluster: ClusterFacts,
  takesExpressions = false,
): Found<void> {
  const reading = readEC2NodeClass(name, written);
  if (reading.outcome === 'refused') {
    return refused('UnsupportedNodeClass', reading.findings.map(({ what }) => what).join('; '));
  }
  const { amiFamily } = reading.value;
  const { spec } = written;
  return (
    refusalOfCluster(amiFamily, cluster) ??
    refusalOfKubelet(amiFamily, spec.kubelet ?? {}, takesExpressions) ??
    refusalOfTags(spec, cluster) ??
    refusalOfUserData(amiFamily, spec, cluster) ?? { outcome: 'found', value: undefined }
  );
}

function refusalOfCluster(
  family: EC2NodeClass['amiFamily'],
  { serviceCidr }: ClusterFacts,
): Refusal | undefined {
  if (family !== 'AL2023' || serviceCidr !== undefined) return undefined;
  const why = 'the address range of Services is not known, and AL2023 nodes cannot join without it';
  return refused('ClusterCIDRResolutionFailed', why);
}

function refusalOfKubelet(
  family: EC2NodeClass['amiFamily'],
  kubelet: WrittenKubelet,
  takesExpressions: boolean,
): Refusal | undefined {
  const faults = kubeletFaults(kubelet);
  if (faults.length > 0) return refused('InvalidKubeletConfiguration', listed(faults));

  const disabled = takesExpressions ? [] : disabledExpressions(kubelet);
  if (disabled.length > 0) return refused('KubeletExpressionsDisabled', listed(disabled));
  const invalid = takesExpressions ? invalidExpressions(kubelet) : [];
  if (invalid.length > 0) return refused('KubeletExpressionInvalid', listed(invalid));

  const unsupported = familyFaults(kubelet, family);
  return unsupported.length > 0
    ? refused('UnsupportedKubeletConfiguration', listed(unsupported))
    : undefined;
}

/**
 * What can be said against its expressions, which are computed for each size. Only a class that has all
 * it depends on is judged by it.
 *
 * @param sizes - of all types that are known; none: nobody can tell yet
 */
export function validateSizes(
  { spec: { kubelet = {} } }: WrittenEC2NodeClass,
  sizes: readonly NodeSize[],
): Found<void> {
  if (expressionsOf(kubelet).length === 0) return { outcome: 'found', value: undefined };
  if (sizes.length === 0) return { outcome: 'unknown', message: 'no instance type is known yet' };
  const failing = failingExpressions(kubelet, sizes);
  return failing.length > 0
    ? refused('KubeletExpressionEvaluationFailed', listed(failing))
    : { outcome: 'found', value: undefined };
}

const listed = (faults: readonly { readonly what: string }[]): string =>
  faults.map(({ what }) => what).join('; ');

/** Who may launch is told by these tags, so nobody else may set them. */
function refusalOfTags({ tags = {} }: Spec, { name }: ClusterFacts): Refusal | undefined {
  const ours = new Set([
    'eks:eks-cluster-name',
    'karpenter.sh/nodepool',
    'karpenter.sh/nodeclaim',
    'karpenter.k8s.aws/ec2nodeclass',
    `kubernetes.io/cluster/${name}`,
  ]);
  const taken = Object.keys(tags).filter(
    (key) => ours.has(key) || key.startsWith('kubernetes.io/cluster'),
  );
  if (taken.length === 0) return undefined;
  return refused('TagValidationFailed', `tags that are ours alone: ${taken.join(', ')}`);
}

/** As a node without labels and taints would get it. */
function refusalOfUserData(
  family: EC2NodeClass['amiFamily'],
  { userData = '', kubelet = {}, instanceStorePolicy }: Spec,
  cluster: ClusterFacts,
): Refusal | undefined {
  const facts = {
    cluster,
    labels: {},
    taints: [],
    kubelet: bootKubelet(kubelet, { maxPods: 110 }, cluster),
    joinsLocalDisks: instanceStorePolicy === 'RAID0',
    custom: userData,
  };
  try {
    userDataOf(family, facts);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserDataError)) throw error;
    return refused(error.reason, error.message);
  }
}
