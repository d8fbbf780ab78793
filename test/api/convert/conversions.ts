import { convertManifests, type ManifestConversion } from '../../../shared/api/convert/convert-manifests.ts';
import { documents } from '../support/read-text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A Provisioner that sets every field for which alpha had a default. */
export const provisioner = (spec: Fields = {}, name = 'batch') => ({
  apiVersion: 'karpenter.sh/v1alpha5',
  kind: 'Provisioner',
  metadata: { name },
  spec: {
    providerRef: { name: 'nodes' },
    consolidation: { enabled: true },
    ttlSecondsUntilExpired: 60,
    ...spec,
  },
});

export const nodeTemplate = (spec: Fields = {}) => ({
  apiVersion: 'karpenter.k8s.aws/v1alpha1',
  kind: 'AWSNodeTemplate',
  metadata: { name: 'nodes' },
  spec: {
    amiFamily: 'AL2023',
    instanceProfile: 'profile',
    subnetSelector: { tier: 'private' },
    securityGroupSelector: { 'aws-ids': 'sg-1' },
    metadataOptions: { httpPutResponseHopLimit: 1 },
    ...spec,
  },
});

export const betaPool = (spec: Fields = {}, nodeSpec: Fields = {}, name = 'general') => ({
  apiVersion: 'karpenter.sh/v1beta1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: {
      spec: {
        nodeClassRef: {
          apiVersion: 'karpenter.k8s.aws/v1beta1',
          kind: 'EC2NodeClass',
          name: 'nodes',
        },
        requirements: [],
        ...nodeSpec,
      },
    },
    ...spec,
  },
});

export const betaClass = (spec: Fields = {}) => ({
  apiVersion: 'karpenter.k8s.aws/v1beta1',
  kind: 'EC2NodeClass',
  metadata: { name: 'nodes' },
  spec: {
    amiFamily: 'AL2023',
    role: 'node-role',
    subnetSelectorTerms: [{ tags: { tier: 'private' } }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    metadataOptions: { httpPutResponseHopLimit: 1 },
    ...spec,
  },
});

export const convert = (objects: readonly Fields[], options: { role?: string; ignoreDefaults?: boolean } = {}) =>
  convertManifests([{ file: 'in.yaml', text: documents(...objects) }], {
    ignoreDefaults: true,
    ...options,
  });

export const codesOf = ({ messages }: ManifestConversion): readonly string[] => messages.map(({ code }) => code);
/** Returns the converted spec of one object, and the messages. */
export const only = (object: Fields, options = {}) => {
  const conversion = convert([object], options);
  return {
    spec: conversion.objects[0]?.object.spec as Fields | undefined,
    codes: codesOf(conversion),
  };
};

/** The v1 reference to the class of these objects. */
export const REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'nodes' };
