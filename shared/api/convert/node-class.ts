import { convertMetadata, convertTags } from './keys.ts';
import { type ReportMessage, valueText } from './message.ts';
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
export const convertNodeTemplate = ({ metadata, spec }: Fields, options: ClassOptions, report: ReportMessage): Fields =>
  classOf(convertMetadata(toFields(metadata)), templateSpec(toFields(spec), options, report));

/** Converts `spec.provider` of a Provisioner to a class of its own with the Provisioner's name. */
export const convertInlineProvider = (
  name: unknown,
  provider: Fields,
  options: ClassOptions,
  report: ReportMessage,
): Fields => classOf({ name }, templateSpec(omitFields(provider, ['apiVersion', 'kind']), options, report));

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

function templateSpec(spec: Fields, options: ClassOptions, report: ReportMessage): Fields {
  if (spec.launchTemplate !== undefined) {
    report(
      'X-06',
      'spec.launchTemplate',
      'a launch template of your own has no equivalent: move its user data, image, devices, security groups and profile into the class',
    );
  }
  reportOthers(omitFields(spec, TEMPLATE_FIELDS), report);
  const terms = convertSelector(spec.amiSelector, 'spec.amiSelector', report);
  const selected = spec.amiSelector === undefined ? [] : terms;
  if (selected.some((term) => Object.hasOwn(term, 'tags'))) {
    report('W-11', 'spec.amiSelector', 'tags of an image no longer say for which instance types it is');
  }
  return {
    ...identityOf(spec, options, report),
    ...withDevices(spec, convertImages(spec, selected, report), report),
    subnetSelectorTerms: convertSelector(spec.subnetSelector, 'spec.subnetSelector', report),
    securityGroupSelectorTerms: convertSelector(spec.securityGroupSelector, 'spec.securityGroupSelector', report),
    ...sameFields(spec, report),
  };
}

const reportOthers = (others: Fields, report: ReportMessage): void => {
  for (const [name, value] of Object.entries(others)) {
    report('W-04', `spec.${name}`, `dropped, nothing came after it: ${valueText(value)}`);
  }
};

function identityOf(spec: Fields, { role }: ClassOptions, report: ReportMessage): Fields {
  const { instanceProfile } = spec;
  if (instanceProfile !== undefined && role === undefined) return { instanceProfile };
  if (instanceProfile !== undefined) {
    report('W-03', 'spec.instanceProfile', `dropped: the role ${role} was asked for`);
  }
  if (role !== undefined) return { role };
  report('W-02', 'spec.role', `write the role of your nodes in place of ${PLACEHOLDER} before you apply it`);
  return { role: PLACEHOLDER };
}

const withDevices = (
  spec: Fields,
  { blockDeviceMappings, ...images }: ReturnType<typeof convertImages>,
  report: ReportMessage,
): Fields => ({
  ...images,
  blockDeviceMappings: spec.blockDeviceMappings
    ? toList(spec.blockDeviceMappings).map((item, index) => {
        const { virtualName, ...mapping } = toFields(item);
        if (virtualName !== undefined) {
          const path = `spec.blockDeviceMappings[${index}].virtualName`;
          report('W-04', path, `dropped, nothing came after it: ${valueText(virtualName)}`);
        }
        return mapping;
      })
    : blockDeviceMappings,
});

const sameFields = (spec: Fields, report: ReportMessage): Fields => ({
  userData: spec.userData,
  tags: convertTags(spec.tags, report),
  context: spec.context,
  detailedMonitoring: spec.detailedMonitoring,
  associatePublicIPAddress: spec.associatePublicIPAddress,
  metadataOptions: convertMetadataOptions(spec.metadataOptions, report),
});

const METADATA_DEFAULTS: Fields = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 2,
  httpTokens: 'required',
};

/** The default hop limit was 2 and is 1 in v1, so it is written out. */
function convertMetadataOptions(written: unknown, report: ReportMessage): Fields {
  const options = toFields(written);
  if (options.httpPutResponseHopLimit !== undefined) return options;
  report(
    'W-07',
    'spec.metadataOptions.httpPutResponseHopLimit',
    '2 written, as it was: with 1, the new default, pods reach no instance metadata',
  );
  return written === undefined ? METADATA_DEFAULTS : { ...options, httpPutResponseHopLimit: 2 };
}

/** Converts an EC2NodeClass of v1beta1. */
export function convertBetaClass({ metadata, spec: writtenSpec }: Fields, report: ReportMessage): Fields {
  const { role, instanceProfile, amiFamily, amiSelectorTerms, ...spec } = toFields(writtenSpec);
  if (role !== undefined && instanceProfile !== undefined) {
    report('W-03', 'spec.instanceProfile', `dropped: role ${toText(role) ?? ''} stands beside it`);
  }
  const terms = toList(amiSelectorTerms).map((term, index) =>
    withoutMixture(term, `spec.amiSelectorTerms[${index}]`, report),
  );
  return classOf(convertMetadata(toFields(metadata)), {
    ...(role === undefined ? { instanceProfile } : { role }),
    ...withDevices(spec, convertImages({ ...spec, amiFamily }, terms, report), report),
    ...omitFields(spec, ['blockDeviceMappings', 'metadataOptions', 'tags']),
    ...Object.fromEntries(
      ['subnetSelectorTerms', 'securityGroupSelectorTerms'].map((field) => [
        field,
        toList(spec[field]).map((term, index) => withoutMixture(term, `spec.${field}[${index}]`, report)),
      ]),
    ),
    tags: convertTags(spec.tags, report),
    metadataOptions: convertMetadataOptions(spec.metadataOptions, report),
  });
}

/** A term with an id must have no other field. */
function withoutMixture(term: unknown, path: string, report: ReportMessage): Fields {
  const { id, ...others } = toFields(term);
  const names = Object.keys(others);
  if (id === undefined || names.length === 0) return toFields(term);
  report('W-06', path, `id wins, dropped: ${names.join(', ')}`);
  return { id };
}

const WITH_ALIAS: ReadonlySet<string> = new Set([
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
]);

interface Images {
  readonly amiFamily?: string;
  readonly amiSelectorTerms: readonly unknown[];
  /** Block devices that the AMI family used to have by default. */
  readonly blockDeviceMappings?: readonly Fields[];
}

/** Converts the images of a class: a family alone becomes an alias. */
function convertImages(written: Fields, terms: readonly unknown[], report: ReportMessage): Images {
  const family = familyOf(written, report);
  if (family === 'Ubuntu') return ubuntu(written, terms, report);
  if (terms.length > 0) return { amiFamily: family, amiSelectorTerms: terms };
  if (!WITH_ALIAS.has(family)) {
    report('X-10', 'spec.amiFamily', `nothing selects an image of family ${family}: add amiSelectorTerms`);
    return { amiSelectorTerms: [] };
  }
  if (family === 'AL2') {
    report('W-16', 'spec.amiFamily', 'there are no AL2 images from Kubernetes 1.33 on: move to al2023@latest');
  }
  return { amiSelectorTerms: [{ alias: `${family.toLowerCase()}@latest` }] };
}

function familyOf({ amiFamily }: Fields, report: ReportMessage): string {
  const family = toText(amiFamily);
  if (family !== undefined) return family;
  report('W-14', 'spec.amiFamily', 'absent: AL2, which it meant');
  return 'AL2';
}

function ubuntu(written: Fields, terms: readonly unknown[], report: ReportMessage): Images {
  if (terms.length === 0) {
    report('X-11', 'spec.amiFamily', 'Ubuntu has no alias: select its image by name and owner, or by SSM parameter');
    return { amiSelectorTerms: [] };
  }
  const hasDevices = toList(written.blockDeviceMappings).length > 0;
  report(
    'W-15',
    'spec.amiFamily',
    `Ubuntu is started like AL2${hasDevices ? '' : ', with the root device that it had'}`,
  );
  return {
    amiFamily: 'AL2',
    amiSelectorTerms: terms,
    ...(!hasDevices && { blockDeviceMappings: [UBUNTU_ROOT] }),
  };
}

const UBUNTU_ROOT: Fields = {
  deviceName: '/dev/sda1',
  rootVolume: true,
  ebs: { volumeSize: '20Gi', volumeType: 'gp3', encrypted: true },
};
