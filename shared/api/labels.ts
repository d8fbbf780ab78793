import * as z from 'zod';
import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  WELL_KNOWN_LABELS,
} from '../model/labels.ts';
import { named, quoted, type Refusal, ruleRefused } from './finding.ts';
import { refuse } from './read-with-schema.ts';

const KEY =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const LONGEST_KEY = 316;
const LONGEST_VALUE = 63;
const LONGEST_TEXT = 4_096;

const isLabelKey = (key: string): boolean => key.length <= LONGEST_KEY && KEY.test(key);
export const isLabelValue = (value: string): boolean =>
  value.length <= LONGEST_VALUE && VALUE.test(value);

/** A key as requirements write it. */
export const labelKeySchema = z.string().superRefine((key, ctx) => {
  if (!isLabelKey(key)) refuse(ctx, badLabelKey(key));
});

/** A key or value as taints write it: no schema bounds its length, but reading it takes time. */
export const taintTextSchema = z.string().superRefine((text, ctx) => {
  if (text.length > LONGEST_TEXT || !KEY.test(text)) refuse(ctx, badLabelKey(text));
});

const badLabelKey = (key: string): Refusal =>
  ruleRefused(
    'KEY',
    `${quoted(key)} is no label key`,
    `a DNS name and a slash (or neither), then letters, digits, "-", "_" and "."; at most ${LONGEST_KEY} characters`,
    'write a key like example.com/team',
  );

const badLabelValue = (value: string): Refusal =>
  ruleRefused(
    'LABELVALUE',
    `${quoted(value)} is no label value`,
    `letters, digits, "-", "_" and ".", a letter or digit at both ends; at most ${LONGEST_VALUE} characters`,
    'shorten or respell it',
  );

/** Strings by key, for annotations, tags and selectors. */
export const textsSchema = z.record(z.string(), z.string());

/** The domain of a key, or all of a key without one. */
const domainOf = (key: string): string => key.split('/', 1)[0] ?? key;

const AWS_LABELS: ReadonlySet<string> = new Set([...WELL_KNOWN_LABELS, NODECLASS_LABEL]);

/** LBL-1: Karpenter's own domain. The suffix has no dot before it, as in Karpenter's CRD. */
const isKarpenters = (key: string): boolean =>
  domainOf(key).endsWith('karpenter.sh') && key !== CAPACITY_TYPE_LABEL && key !== NODEPOOL_LABEL;

/** LBL-4: the AWS provider's domain. */
const isProviders = (key: string): boolean =>
  domainOf(key).endsWith('karpenter.k8s.aws') && !AWS_LABELS.has(key);

/** Why a NodePool may not set or require `key`; NodeClaims may name their pool. */
export function restrictedLabel(key: string, on: 'NodePool' | 'NodeClaim'): Refusal | undefined {
  const restricted = (rule: string, why: string): Refusal =>
    ruleRefused(
      rule,
      `label ${named(key)} is restricted`,
      why,
      'take it out, or use a domain of your own',
    );

  if (isKarpenters(key)) return restricted('LBL-1', 'karpenter.sh is a domain of the autoscaler');
  if (key === NODEPOOL_LABEL && on === 'NodePool') {
    return restricted('LBL-2', 'every node is labelled with its NodePool anyway');
  }
  if (key === HOSTNAME_LABEL) return restricted('LBL-3', 'the kubelet sets it, node by node');
  if (isProviders(key)) {
    return restricted('LBL-4', 'karpenter.k8s.aws has well-known labels only, and this is none');
  }
  return undefined;
}

const MOST_LABELS = 100;

/** `template.metadata.labels` of a NodePool. */
export const nodeLabelsSchema = textsSchema.superRefine((labels, ctx) => {
  const entries = Object.entries(labels);
  if (entries.length > MOST_LABELS) {
    refuse(
      ctx,
      ruleRefused(
        'maxProperties',
        `${entries.length} labels`,
        `at most ${MOST_LABELS} labels are allowed`,
        'take some out',
      ),
    );
  }
  for (const [key, value] of entries) {
    const restricted = restrictedLabel(key, 'NodePool');
    if (restricted) refuse(ctx, restricted, [key]);
    if (!isLabelValue(value)) refuse(ctx, badLabelValue(value), [key]);
  }
});
