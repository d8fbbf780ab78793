import * as z from 'zod';
import { buildEventJsonSchema } from '../../shared/api/published-events/schemas.ts';
import { PUBLISHED_KINDS } from '../../shared/model/published-events/kinds.ts';
import { buildSnapshotJsonSchema } from '../../shared/record/snapshot-file.ts';
import { catalogueReportSchema } from './catalogue-report.ts';
import { deploymentSchema } from './deployment.ts';
import { doctorSchema } from './doctor.ts';
import {
  explanationsSchema,
  nodeClaimExplanationSchema,
  nodeExplanationSchema,
  nodePoolExplanationSchema,
  pendingPodsSchema,
  podExplanationSchema,
} from './explanation.ts';
import { instanceTypesSchema } from './instance-types.ts';
import { timelineSchema } from './node-claim-timeline.ts';
import { nodeLogSchema } from './node-log.ts';
import { replaySchema } from './replay.ts';
import { simulationSchema } from './simulation.ts';
import { snapshotReportSchema } from './snapshot-report.ts';
import { templateSchema } from './template.ts';
import { tryLaunchSchema } from './try-launch.ts';
import { uninstallSchema } from './uninstall.ts';
import { validationSchema } from './validation.ts';

const reasonsSchema = z.object({
  reasons: z.array(
    z.object({
      code: z.string(),
      emitter: z.string(),
      sentence: z.string(),
      fields: z.array(z.string()),
    }),
  ),
});

const versionSchema = z.object({ client: z.string(), node: z.string() });

const configViewSchema = z.object({
  settings: z.array(z.object({ name: z.string(), value: z.unknown().optional(), origin: z.string() })),
});

const playgroundSchema = z.object({
  url: z.url(),
  seed: z.number().int(),
  speed: z.union([z.number(), z.literal('max')]),
  skipped: z.array(z.object({ kind: z.string(), name: z.string(), file: z.string() })),
});

/** The first line of a controller; log lines follow. */
const controllerSchema = z.object({
  act: z.boolean(),
  stack: z.string().optional(),
  metricsPort: z.number().int(),
  healthPort: z.number().int(),
});

/** A line on stderr; it has no envelope. */
const errorSchema = z.object({
  kind: z.literal('Error'),
  code: z.string(),
  what: z.string(),
  where: z.string().optional(),
  why: z.string().optional(),
  fix: z.string().optional(),
  exitCode: z.number().int(),
  retriable: z.boolean(),
});

const RESULTS = {
  Simulation: simulationSchema,
  ValidationReport: validationSchema,
  InstanceTypes: instanceTypesSchema,
  PodExplanation: podExplanationSchema,
  NodeExplanation: nodeExplanationSchema,
  NodeClaimExplanation: nodeClaimExplanationSchema,
  NodePoolExplanation: nodePoolExplanationSchema,
  Explanations: explanationsSchema,
  PendingPods: pendingPodsSchema,
  NodeClaimTimeline: timelineSchema,
  NodeLog: nodeLogSchema,
  Replay: replaySchema,
  CatalogueReport: catalogueReportSchema,
  SnapshotReport: snapshotReportSchema,
  Reasons: reasonsSchema,
  Version: versionSchema,
  ConfigView: configViewSchema,
  Playground: playgroundSchema,
  Controller: controllerSchema,
  Deployment: deploymentSchema,
  Template: templateSchema,
  Doctor: doctorSchema,
  TryLaunch: tryLaunchSchema,
  Uninstall: uninstallSchema,
} as const;

/** Kinds of documents that the command writes, and of events that Mortise publishes. */
export const DOCUMENT_KINDS: readonly string[] = [...Object.keys(RESULTS), 'Snapshot', 'Error', ...PUBLISHED_KINDS];

/** Returns the JSON Schema of a kind, generated from the schema that the code uses. */
export function jsonSchemaOf(kind: string): unknown {
  if (kind === 'Snapshot') return buildSnapshotJsonSchema();
  if (kind === 'Error') return z.toJSONSchema(errorSchema);
  const published = PUBLISHED_KINDS.find((name) => name === kind);
  if (published) return buildEventJsonSchema(published);
  const result = Object.entries(RESULTS).find(([name]) => name === kind)?.[1];
  return result && z.toJSONSchema(envelopeOf(kind, result));
}

const envelopeOf = (kind: string, result: z.ZodType) =>
  z.object({
    apiVersion: z.literal('cli.mortise.sh/v1'),
    kind: z.literal(kind),
    schemaVersion: z.string(),
    source: z.record(z.string(), z.unknown()),
    complete: z.boolean(),
    warnings: z.array(z.string()),
    result,
  });
