import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildControllerPolicy } from '../infra/rights/controller-policy.ts';
import { CONTROLLER_GROUP } from '../shared/kubernetes/setup/manifest.ts';
import { LEASE_RULES, ROLES, roleOf } from '../shared/kubernetes/setup/rbac.ts';
import { buildChartSchema } from './chart-schema.ts';
import { buildDashboard } from './monitoring/dashboard.ts';
import { FLEET_DASHBOARD } from './monitoring/fleet-dashboard.ts';
import { OPERATION_DASHBOARD } from './monitoring/operation-dashboard.ts';

/** A file of the controller kit, generated from the code that the functions use. */
export interface KitFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

const CRDS = 'manifests/crds';

/** @param root - the repository */
export function buildKitFiles(root: string): readonly KitFile[] {
  const role = ROLES.find(({ metadata }) => metadata.name === roleOf(CONTROLLER_GROUP));
  return [
    { path: 'cli/controller/controller-policy.json', text: toJson(buildControllerPolicy()) },
    { path: 'charts/mortise/files/controller-rules.json', text: toJson(role?.rules) },
    { path: 'charts/mortise/files/lease-rules.json', text: toJson(LEASE_RULES) },
    { path: 'charts/mortise/values.schema.json', text: toJson(buildChartSchema()) },
    ...[OPERATION_DASHBOARD, FLEET_DASHBOARD].map((definition) => ({
      path: `charts/mortise/monitoring/dashboards/${definition.uid}.json`,
      text: toJson(buildDashboard(definition)),
    })),
    ...readdirSync(join(root, CRDS)).map((name) => ({
      path: `charts/mortise/crds/${name}`,
      text: readFileSync(join(root, CRDS, name), 'utf8'),
    })),
  ];
}

const toJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
