import * as z from 'zod';

/** In the order in which a launch reaches them. */
export const LAUNCH_PHASES = [
  'pod-created',
  'event-seen',
  'decided',
  'fleet-requested',
  'fleet-answered',
  'running',
  'registered',
  'ready',
  'bound',
] as const;

/** Causes of failures. Reports contain the code, and none of the sentences. */
export const LAUNCH_FAILURES = [
  'forbidden',
  'refused-by-policy',
  'not-reported',
  'not-decided',
  'no-place',
  'no-quota',
  'no-capacity',
  'launch-failed',
  'no-access-entry',
  'no-route',
  'wrong-ami',
  'never-joined',
  'instance-ended',
  'taint-remains',
  'node-not-ready',
  'not-bound',
] as const;

export const tryLaunchSchema = z.object({
  nodePool: z.string(),
  outcome: z.enum(['planned', 'bound', 'failed', 'interrupted']),
  nodeClaim: z.string().optional(),
  node: z.string().optional(),
  instanceType: z.string().optional(),
  capacityType: z.string().optional(),
  zone: z.string().optional(),
  phases: z.array(
    z.object({
      name: z.enum(LAUNCH_PHASES),
      at: z.iso.datetime(),
      /** Since the phase before. */
      ms: z.number().int().optional(),
    }),
  ),
  failure: z
    .object({
      code: z.enum(LAUNCH_FAILURES),
      /** The phase that was not reached. */
      phase: z.enum(LAUNCH_PHASES),
      what: z.string(),
      why: z.string().optional(),
      fix: z.string(),
    })
    .optional(),
  /** Findings of `mortise doctor` that are not `ok`, after a failure. */
  findings: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      evidence: z.string(),
      fix: z.string().optional(),
    }),
  ),
  /** Objects that remain in spite of the removal. */
  remaining: z.array(z.string()),
  /** The file of the report. */
  report: z.string().optional(),
});

export type TryLaunchReport = z.infer<typeof tryLaunchSchema>;
export type LaunchPhase = (typeof LAUNCH_PHASES)[number];
export type LaunchFailure = NonNullable<TryLaunchReport['failure']>;
