import * as z from 'zod';
import type { NodeClassRef } from '../model/nodes/node-pool.ts';
import { OPERATORS, type RequirementSpec } from '../model/requirements/requirement-specs.ts';
import type { LabelSelector, SelectorExpression } from '../model/requirements/selectors.ts';
import type { Taint, TaintEffect, Toleration } from '../model/requirements/taints.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';

export const amountsSchema = z.record(z.string(), z.number());
export const labelsSchema = z.record(z.string(), z.string());
export const instantSchema = z.number();

const effectSchema = oneOf<TaintEffect>({
  NoSchedule: 'NoSchedule',
  PreferNoSchedule: 'PreferNoSchedule',
  NoExecute: 'NoExecute',
});

export const taintSchema = z.looseObject({
  key: z.string(),
  value: z.string().exactOptional(),
  effect: effectSchema,
} satisfies FieldsOf<Taint>);

export const tolerationSchema = z.looseObject({
  key: z.string().exactOptional(),
  operator: oneOf<Toleration['operator']>({ Exists: 'Exists', Equal: 'Equal', Gt: 'Gt', Lt: 'Lt' }),
  value: z.string().exactOptional(),
  effect: effectSchema.exactOptional(),
} satisfies FieldsOf<Toleration>);

export const requirementSchema = z.looseObject({
  key: z.string(),
  operator: z.enum(OPERATORS),
  values: z.array(z.string()).exactOptional(),
  minValues: z.number().exactOptional(),
} satisfies FieldsOf<RequirementSpec>);

/** Node selector terms: any of them must hold, and all requirements of it. */
export const nodeTermsSchema = z.array(z.array(requirementSchema));

export const selectorSchema = z.looseObject({
  matchLabels: labelsSchema,
  matchExpressions: z.array(
    z.looseObject({
      key: z.string(),
      operator: oneOf<SelectorExpression['operator']>({
        In: 'In',
        NotIn: 'NotIn',
        Exists: 'Exists',
        DoesNotExist: 'DoesNotExist',
      }),
      values: z.array(z.string()),
    } satisfies FieldsOf<SelectorExpression>),
  ),
} satisfies FieldsOf<LabelSelector>);

export const nodeClassRefSchema = z.looseObject({
  group: z.string(),
  kind: z.string(),
  name: z.string(),
} satisfies FieldsOf<NodeClassRef>);
