import { DISCOVERY, NODE_ROLE } from './account.ts';

type Written = Readonly<Record<string, unknown>>;

const selectors = {
  subnetSelectorTerms: [{ tags: { [DISCOVERY.Key]: DISCOVERY.Value } }],
  securityGroupSelectorTerms: [{ tags: { [DISCOVERY.Key]: '*' } }],
};

/** Classes of the run, by name. */
export const CLASSES: Readonly<Record<string, Written>> = {
  default: {
    ...selectors,
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: NODE_ROLE,
    tags: { team: 'a' },
  },
  bottlerocket: {
    ...selectors,
    amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
    role: NODE_ROLE,
    instanceStorePolicy: 'RAID0',
  },
  windows: {
    ...selectors,
    amiSelectorTerms: [{ alias: 'windows2022@latest' }],
    role: NODE_ROLE,
  },
  custom: {
    ...selectors,
    amiFamily: 'Custom',
    amiSelectorTerms: [{ ssmParameter: '/mine/x86_64/image_id' }],
    instanceProfile: 'made-by-hand',
    userData: '#!/bin/sh\njoin\n',
  },
};

/** Classes that cannot be ready, and which condition says so. */
export const BROKEN: Readonly<Record<string, { spec: Written; says: string }>> = {
  'without-subnets': {
    spec: { ...CLASSES.default, subnetSelectorTerms: [{ tags: { nobody: 'has it' } }] },
    says: 'SubnetsReady=False/SubnetsNotFound',
  },
  'without-groups': {
    spec: { ...CLASSES.default, securityGroupSelectorTerms: [{ name: 'nobody-has-it' }] },
    says: 'SecurityGroupsReady=False/SecurityGroupsNotFound',
  },
  'without-images': {
    spec: { ...CLASSES.default, amiFamily: 'AL2', amiSelectorTerms: [{ name: 'nobody-has-it' }] },
    says: 'AMIsReady=False/AMINotFound',
  },
  'too-old': {
    spec: { ...CLASSES.default, amiSelectorTerms: [{ alias: 'al2@latest' }] },
    says: 'AMIsReady=False/UnsupportedAlias',
  },
};
