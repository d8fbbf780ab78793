import * as z from 'zod';

const problemSchema = z.object({
  rule: z.string().meta({ description: 'id of the rule, or what the schema says: required, enum' }),
  severity: z.enum(['error', 'warning']),
  stage: z.enum(['admission', 'runtime']),
  path: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  why: z.string(),
  fix: z.string(),
});

/** The result of `mortise validate`. */
export const validationSchema = z.object({
  objects: z.array(
    z.object({
      file: z.string(),
      line: z.number().int(),
      document: z.number().int(),
      kind: z.string().exactOptional().meta({ description: 'absent: not readable that far' }),
      name: z.string().exactOptional(),
      verdict: z.enum(['accepted', 'refused', 'unusable', 'not-judged']).meta({
        description:
          'refused: by the API server; unusable: stored, and the controllers do not use it; not-judged: another controller serves the kind',
      }),
      problems: z.array(problemSchema),
    }),
  ),
});

export type Validation = z.infer<typeof validationSchema>;
export type ValidatedObject = Validation['objects'][number];
