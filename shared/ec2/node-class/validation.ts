import {
  listDisabledExpressions,
  listExpressions,
  listFailingExpressions,
  listInvalidExpressions,
} from '../../api/runtime-validation/expression-faults.ts';
import { listFamilyFaults, listKubeletFaults } from '../../api/runtime-validation/kubelet-faults.ts';
import { readEC2NodeClass, type WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import type { WrittenKubelet } from '../../api/stored-objects/kubelet.ts';
import type { EC2NodeClass, NodeSize } from '../../model/nodes/node-class.ts';
import type { ClusterFacts } from '../../model/nodes/resolved-node-class.ts';
import type { DiscoveryResult } from './conditions.ts';
import { mergeBootKubelet, UserDataError } from './user-data/boot-facts.ts';
import { buildUserData } from './user-data/user-data.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** Karpenter's reason of the condition, and its message. */
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

interface ValidationOptions {
  /** State of the feature gate NodeClassCEL. */
  readonly takesExpressions?: boolean;
  /** ARNs of the customer keys that launches may use. `undefined`: not known, nothing is checked. */
  readonly volumeKeys?: readonly string[];
}

/** Validates a class without calling an API. Returns the first refusal. */
export function validateNodeClass(
  name: string,
  written: WrittenEC2NodeClass,
  cluster: ClusterFacts,
  { takesExpressions = false, volumeKeys }: ValidationOptions = {},
): DiscoveryResult<void> {
  const reading = readEC2NodeClass(name, written);
  if (reading.outcome === 'refused') {
    return refuse('UnsupportedNodeClass', reading.findings.map(({ what }) => what).join('; '));
  }
  const { amiFamily } = reading.value;
  const { spec, unknownFields } = written;
  return (
    checkUnknownFields(unknownFields) ??
    checkCluster(amiFamily, cluster) ??
    checkKubelet(amiFamily, spec.kubelet ?? {}, takesExpressions) ??
    checkTags(spec, cluster) ??
    checkUserData(amiFamily, spec, cluster) ?? {
      ...{ outcome: 'found', value: undefined },
      ...noteVolumeKeys(spec, volumeKeys),
    }
  );
}

/**
 * A newer CRD stores fields that this release does not know. Nodes without their effect would be
 * wrong, so none is launched; running nodes stay.
 */
const checkUnknownFields = (paths: readonly string[] = []): ValidationRefusal | undefined =>
  paths.length === 0
    ? undefined
    : refuse(
        'UnknownField',
        `this release of Mortise does not know ${paths.join(', ')}: update it, or take the field out`,
      );

/**
 * EC2 accepts a launch without the right to use the key of a volume, also as a dry run, and ends the
 * instance. The policy of the key may give the right as well, so that this is a note.
 *
 * @see docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
 */
function noteVolumeKeys(
  { blockDeviceMappings = [] }: Spec,
  volumeKeys: readonly string[] | undefined,
): { readonly note?: string } {
  const keys = blockDeviceMappings.flatMap(({ ebs }) => ebs?.kmsKeyID ?? []);
  // An alias does not say which key it is.
  const missing = keys.filter(
    (key) => !key.includes('alias/') && !volumeKeys?.some((arn) => arn === key || arn.endsWith(`/${key}`)),
  );
  if (!volumeKeys || missing.length === 0) return {};
  const rights = 'kms:CreateGrant, kms:Decrypt and kms:GenerateDataKeyWithoutPlaintext';
  return {
    note: `The option volumeKeys does not name ${[...new Set(missing)].join(', ')}: unless the policy of the key gives Mortise ${rights}, EC2 ends each instance right after its launch`,
  };
}

function checkCluster(family: EC2NodeClass['amiFamily'], { serviceCidr }: ClusterFacts): ValidationRefusal | undefined {
  if (family !== 'AL2023' || serviceCidr !== undefined) return undefined;
  const why = 'the address range of Services is not known, and AL2023 nodes cannot join without it';
  return refuse('ClusterCIDRResolutionFailed', why);
}

function checkKubelet(
  family: EC2NodeClass['amiFamily'],
  kubelet: WrittenKubelet,
  takesExpressions: boolean,
): ValidationRefusal | undefined {
  const faults = listKubeletFaults(kubelet);
  if (faults.length > 0) return refuse('InvalidKubeletConfiguration', joinFaults(faults));

  const disabled = takesExpressions ? [] : listDisabledExpressions(kubelet);
  if (disabled.length > 0) return refuse('KubeletExpressionsDisabled', joinFaults(disabled));
  const invalid = takesExpressions ? listInvalidExpressions(kubelet) : [];
  if (invalid.length > 0) return refuse('KubeletExpressionInvalid', joinFaults(invalid));

  const unsupported = listFamilyFaults(kubelet, family);
  return unsupported.length > 0 ? refuse('UnsupportedKubeletConfiguration', joinFaults(unsupported)) : undefined;
}

/**
 * Evaluates the kubelet expressions for each node size. Runs only for a class whose dependencies
 * are ready.
 *
 * @param sizes - of all known types; empty while none are known
 */
export function validateKubeletExpressions(
  { spec: { kubelet = {} } }: WrittenEC2NodeClass,
  sizes: readonly NodeSize[],
): DiscoveryResult<void> {
  if (listExpressions(kubelet).length === 0) return { outcome: 'found', value: undefined };
  if (sizes.length === 0) return { outcome: 'unknown', message: 'no instance type is known yet' };
  const failing = listFailingExpressions(kubelet, sizes);
  return failing.length > 0
    ? refuse('KubeletExpressionEvaluationFailed', joinFaults(failing))
    : { outcome: 'found', value: undefined };
}

const joinFaults = (faults: readonly { readonly what: string }[]): string => faults.map(({ what }) => what).join('; ');

/** IAM policies rely on these tags, so users may not set them. */
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

/** Builds the user data of a node without labels and taints, to find its errors. */
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
