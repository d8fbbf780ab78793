import * as z from 'zod';
import { REASONS, type Reason, type ReasonCode } from '../model/explanations/reasons.ts';
import type { FieldsOf } from './exact-schema.ts';

const isReasonCode = (code: unknown): code is ReasonCode => typeof code === 'string' && Object.hasOwn(REASONS, code);

export const reasonSchema: z.ZodType<Reason> = z.looseObject({
  code: z.custom<ReasonCode>(isReasonCode, 'must be a reason code of this release'),
  fields: z.record(z.string(), z.string()),
} satisfies FieldsOf<Reason>);
