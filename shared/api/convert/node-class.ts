import { convertImages } from './images.ts';
import { convertMetadata, convertTags } from './keys.ts';
import { type Tell, valueText } from './message.ts';
import { convertSelector } from './selectors.ts';
import { type Fields, omitFields, present, toFields, toList, toText } from './written.ts';

export interface ClassOptions {
  /** The IAM role of nodes, for classes that name none. */
  readonly role?: string;
}

/** A placeholder for a role that the user has yet to name. */
const PLACEHOLDER = '$KARPENTER_NODE_ROLE';

const classOf = (metadata: Fields, spec: Fields): Fields => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: present(metadata),
  spec: present(spec),
});

/** Converts an AWSNodeTemplate of karpenter.k8s.aws/v1alpha1 to an EC2NodeClass. */
export const convertNodeTemplate = (
  { metadata, spec }: Fields,
  options: ClassOptions,
  tell: Tell,
): Fields =>
  classOf(convertMetadata(toFields(metadata)), templateSpec(toFields(spec), options, tell));

/** Converts `spec.provider` of a Provisioner to a class of its own with the Provisioner's name. */
export const convertInlineProvider = (
  name: unknown,
  provider: Fields,
  options: ClassOptions,
  tell: Tell,
): Fields =>
  classOf({ name }, templateSpec(omitFields(provider, ['apiVersion', 'kind']), options, tell));

const TEMPLATE_FIELDS = [
  'subnetSelector',
  'securityGroupSelector',
  'amiSelector',
  'amiFamily',
  'instanceProfile',
  'launchTemplate',
  'blockDeviceMappings',
  'metadataOptions',
  'tags',
  'userData',
  'context',
  'detailedMonitoring',
  'associatePublicIPAddress',
];

function templateSpec(spec: Fields, options: ClassOptions, tell: Tell): Fields {
  if (spec.launchTemplate !== undefined) {
    tell(
      'X-06',
      'spec.launchTemplate',
      'a launch template of your own has no equivalent: move its user data, image, devices, security groups and profile into the class',
    );
  }
  tellOthers(omitFields(spec, TEMPLATE_FIELDS), tell);
  const terms = convertSelector(spec.amiSelector, 'spec.amiSelector', tell);
  const selected = spec.amiSelector === undefined ? [] : terms;
  if (selected.some((term) => Object.hasOwn(term, 'tags'))) {
    tell(
      'W-11',
      'spec.amiSelector',
      'tags of an image no longer say for which instance types it is',
    );
  }
  return {
    ...identityOf(spec, options, tell),
    ...withDevices(spec, convertImages(spec, selected, tell), tell),
    subnetSelectorTerms: convertSelector(spec.subnetSelector, 'spec.subnetSelector', tell),
    securityGroupSelectorTerms: convertSelector(
      spec.securityGroupSelector,
      'spec.securityGroupSelector',
      tell,
    ),
    ...sameFields(spec, tell),
  };
}

const tellOthers = (others: Fields, tell: Tell): void => {
  for (const [name, value] of Object.entries(others)) {
    tell('W-04', `spec.${name}`, `dropped, nothing came after it: ${valueText(value)}`);
  }
};

function identityOf(spec: Fields, { role }: ClassOptions, tell: Tell): Fields {
  const { instanceProfile } = spec;
  if (instanceProfile !== undefined && role === undefined) return { instanceProfile };
  if (instanceProfile !== undefined) {
    tell('W-03', 'spec.instanceProfile', `dropped: the role ${role} was asked for`);
  }
  if (role !== undefined) return { role };
  tell(
    'W-02',
    'spec.role',
    `write the role of your nodes in place of ${PLACEHOLDER} before you apply it`,
  );
  return { role: PLACEHOLDER };
}

const withDevices = (
  spec: Fields,
  { blockDeviceMappings, ...images }: ReturnType<typeof convertImages>,
  tell: Tell,
): Fields => ({
  ...images,
  blockDeviceMappings: spec.blockDeviceMappings
    ? toList(spec.blockDeviceMappings).map((item, index) => {
        const { virtualName, ...mapping } = toFields(item);
        if (virtualName !== undefined) {
          const path = `spec.blockDeviceMappings[${index}].virtualName`;
          tell('W-04', path, `dropped, nothing came after it: ${valueText(virtualName)}`);
        }
        return mapping;
      })
    : blockDeviceMappings,
});

const sameFields = (spec: Fields, tell: Tell): Fields => ({
  userData: spec.userData,
  tags: convertTags(spec.tags, tell),
  context: spec.context,
  detailedMonitoring: spec.detailedMonitoring,
  associatePublicIPAddress: spec.associatePublicIPAddress,
  metadataOptions: convertMetadataOptions(spec.metadataOptions, tell),
});

const METADATA_DEFAULTS: Fields = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 2,
  httpTokens: 'required',
};

/** The default hop limit was 2 and is 1 in v1, so it is written out. */
function convertMetadataOptions(written: unknown, tell: Tell): Fields {
  const options = toFields(written);
  if (options.httpPutResponseHopLimit !== undefined) return options;
  tell(
    'W-07',
    'spec.metadataOptions.httpPutResponseHopLimit',
    '2 written, as it was: with 1, the new default, pods reach no instance metadata',
  );
  return written === undefined ? METADATA_DEFAULTS : { ...options, httpPutResponseHopLimit: 2 };
}

/** Converts an EC2NodeClass of v1beta1. */
export function convertBetaClass({ metadata, spec: writtenSpec }: Fields, tell: Tell): Fields {
  const { role, instanceProfile, amiFamily, amiSelectorTerms, ...spec } = toFields(writtenSpec);
  if (role !== undefined && instanceProfile !== undefined) {
    tell('W-03', 'spec.instanceProfile', `dropped: role ${toText(role) ?? ''} stands beside it`);
  }
  const terms = toList(amiSelectorTerms).map((term, index) =>
    withoutMixture(term, `spec.amiSelectorTerms[${index}]`, tell),
  );
  return classOf(convertMetadata(toFields(metadata)), {
    ...(role === undefined ? { instanceProfile } : { role }),
    ...withDevices(spec, convertImages({ ...spec, amiFamily }, terms, tell), tell),
    ...omitFields(spec, ['blockDeviceMappings', 'metadataOptions', 'tags']),
    ...Object.fromEntries(
      ['subnetSelectorTerms', 'securityGroupSelectorTerms'].map((field) => [
        field,
        toList(spec[field]).map((term, index) =>
          withoutMixture(term, `spec.${field}[${index}]`, tell),
        ),
      ]),
    ),
    tags: convertTags(spec.tags, tell),
    metadataOptions: convertMetadataOptions(spec.metadataOptions, tell),
  });
}

/** A term with an id must have no other field. */
function withoutMixture(term: unknown, path: string, tell: Tell): Fields {
  const { id, ...others } = toFields(term);
  const names = Object.keys(others);
  if (id === undefined || names.length === 0) return toFields(term);
  tell('W-06', path, `id wins, dropped: ${names.join(', ')}`);
  return { id };
}
