/**
 * The places of today of the fields of earlier versions, as the fix of a manifest that still has them.
 *
 * @see Karpenter, "v1 migration" and "v1beta1 migration"
 */

const IN_CLASS = 'write it in the EC2NodeClass, as spec.kubelet';
const IN_TEMPLATE = (name: string) => `write it in spec.template.spec.${name}`;

export const FORMER_TEMPLATE_FIELDS = {
  labels: 'write it in spec.template.metadata.labels',
  annotations: 'write it in spec.template.metadata.annotations',
} as const;

export const FORMER_POOL_FIELDS = {
  ttlSecondsAfterEmpty:
    'write its seconds in spec.disruption.consolidateAfter (30 as 30s), with consolidationPolicy: WhenEmpty',
  ttlSecondsUntilExpired: 'write its seconds in spec.template.spec.expireAfter (3600 as 1h)',
  consolidation: 'write spec.disruption.consolidationPolicy: WhenEmptyOrUnderutilized for enabled: true',
  ...FORMER_TEMPLATE_FIELDS,
  requirements: IN_TEMPLATE('requirements'),
  taints: IN_TEMPLATE('taints'),
  startupTaints: IN_TEMPLATE('startupTaints'),
  expireAfter: IN_TEMPLATE('expireAfter'),
  terminationGracePeriod: IN_TEMPLATE('terminationGracePeriod'),
  nodeClassRef: IN_TEMPLATE('nodeClassRef'),
  providerRef: 'write spec.template.spec.nodeClassRef, with group, kind and name',
  provider: 'write an EC2NodeClass, and name it in spec.template.spec.nodeClassRef',
  kubeletConfiguration: IN_CLASS,
  kubelet: IN_CLASS,
} as const;

export const FORMER_DISRUPTION_FIELDS = {
  expireAfter: IN_TEMPLATE('expireAfter'),
} as const;

export const FORMER_CONSOLIDATION_POLICIES = {
  WhenUnderutilized: 'WhenEmptyOrUnderutilized',
} as const;

export const FORMER_NODE_FIELDS = {
  ...FORMER_TEMPLATE_FIELDS,
  kubelet: IN_CLASS,
  kubeletConfiguration: IN_CLASS,
  providerRef: 'write nodeClassRef, with group, kind and name',
  resources: 'take it out: v1 reads requests from the pods alone',
} as const;

export const FORMER_LIMITS = {
  resources: 'write its entries in spec.limits itself: limits.cpu, limits.memory',
} as const;

export const FORMER_REF_FIELDS = {
  apiVersion: 'write group: karpenter.k8s.aws, without the version',
} as const;

const TERMS = (field: string, keyOfIds: string) =>
  `write ${field}, a list of terms: tags as [{tags: {KEY: VALUE}}], ${keyOfIds} as [{id: ID}]`;

const NO_LAUNCH_TEMPLATE = 'write userData, blockDeviceMappings and metadataOptions here: v1 takes no launch template';

export const FORMER_CLASS_FIELDS = {
  subnetSelector: TERMS('subnetSelectorTerms', 'aws-ids'),
  securityGroupSelector: TERMS('securityGroupSelectorTerms', 'aws-ids'),
  amiSelector: TERMS('amiSelectorTerms', 'aws::ids'),
  kubeletConfiguration: 'write kubelet',
  launchTemplate: NO_LAUNCH_TEMPLATE,
  launchTemplateName: NO_LAUNCH_TEMPLATE,
} as const;

export const FORMER_TERM_FIELDS = {
  'aws-ids': 'write id, one term for each ID',
  'aws::ids': 'write id, one term for each ID',
  ids: 'write id, one term for each ID',
} as const;

export const FORMER_IMAGE_FIELDS = {
  ...FORMER_TERM_FIELDS,
  'aws::name': 'write name',
  'aws::owners': 'write owner, one term for each owner',
  owners: 'write owner, one term for each owner',
  ssm: 'write ssmParameter',
} as const;
