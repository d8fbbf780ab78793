import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as z from 'zod';

const MONITORING = fileURLToPath(new URL('../../../charts/mortise/monitoring', import.meta.url));

const ruleFileSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Mortise[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: z.string().regex(/^\d+[mhd]$/),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({
            summary: z.string().regex(/\.$/),
            runbook_url: z.string(),
          }),
        }),
      ),
    }),
  ),
});

export const alerts = ruleFileSchema
  .parse(parse(readFileSync(`${MONITORING}/alerts.yaml`, 'utf8')))
  .groups.flatMap(({ rules }) => rules);

const dataSourceSchema = z.object({
  type: z.literal('prometheus'),
  uid: z.literal('$datasource'),
});

const panelSchema = z.object({
  title: z.string().min(1),
  description: z.string().min(1),
  datasource: dataSourceSchema,
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
  targets: z
    .array(z.object({ datasource: dataSourceSchema, expr: z.string(), legendFormat: z.string().min(1) }))
    .min(1),
});

const dashboardSchema = z.object({
  uid: z.string(),
  title: z.string(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
  panels: z.array(z.union([z.object({ type: z.literal('row'), title: z.string() }), panelSchema])),
});

export const dashboards = readdirSync(`${MONITORING}/dashboards`).map((name) => {
  const text = readFileSync(`${MONITORING}/dashboards/${name}`, 'utf8');
  const { panels, ...dashboard } = dashboardSchema.parse(JSON.parse(text));
  return { name, ...dashboard, panels: panels.filter((panel) => 'targets' in panel) };
});

/** Each expression of the rules and the dashboards, with the place that a failure names. */
export const expressions: readonly { readonly where: string; readonly expr: string }[] = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboards.flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `${uid}: ${title}`, expr }))),
  ),
];
