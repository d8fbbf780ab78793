import type { FeatureGateName } from '../../../shared/model/settings.ts';
import * as sound from '../support/read-text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The manifest, the stored object that it replaces, and other objects. */
export interface Written {
  readonly object: Fields;
  readonly old?: Fields;
  /** Further objects of the same manifests. */
  readonly beside?: Fields;
  /** Feature gates that are on in addition to those of the other rows. */
  readonly gates?: readonly FeatureGateName[];
}

/**
 * Row of the checklist, manifest, verdict, and the rules that decide it. The API server accepts an
 * `unusable` object. The rules of an accepted object are reported as warnings.
 */
export type WrittenRow = readonly [
  row: string,
  written: Fields | Written,
  verdict: 'accepted' | 'refused' | 'unusable',
  rules?: string | readonly string[],
];

export const { nodePool, nodeClass } = sound;

export const changed = (old: Fields, object: Fields): Written => ({ old, object });

export const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const template = (fields: Fields) => nodePool({}, fields);
export const labels = (fields: Fields) => nodePool({}, {}, { labels: fields });
export const classRef = (nodeClassRef: Fields) => template({ nodeClassRef });
export const requirement = (one: Fields) => template({ requirements: [one] });
export const taint = (one: Fields) => template({ taints: [one] });
export const disruption = (fields: Fields) => nodePool({ disruption: fields });
export const budget = (one: Fields) => disruption({ budgets: [one] });

export const nodeClaim = (spec: Fields = {}, metadata: Fields = { name: 'general-x7k2p' }) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata,
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [],
    ...spec,
  },
});

export const ami = (term: Fields) => nodeClass({ amiSelectorTerms: [term] });
export const kubelet = (fields: Fields) => nodeClass({ kubelet: fields });
export const ebs = (fields: Fields) => nodeClass({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: fields }] });

export const overlay = (spec: Fields = {}, name = 'cheaper-arm') => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: { name },
  spec: {
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
    ...spec,
  },
});

export const buffer = (spec: Fields = {}) => ({
  apiVersion: 'autoscaling.x-k8s.io/v1beta1',
  kind: 'CapacityBuffer',
  metadata: { name: 'headroom', namespace: 'default' },
  spec,
});
