import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildControllerPolicy } from '../infra/rights/controller-policy.ts';
import { CONTROLLER_GROUP } from '../shared/kubernetes/setup/manifest.ts';
import { LEASE_RULES, ROLES, roleOf } from '../shared/kubernetes/setup/rbac.ts';
import { SETTINGS } from '../shared/settings/all-settings.ts';
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

/** A JSON schema of draft 7, as far as the chart needs it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const TEXT: Schema = { type: 'string' };
const SWITCH: Schema = { type: 'boolean' };
const PORT: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
const LABELS: Schema = { type: 'object', additionalProperties: TEXT };
/** Objects of Kubernetes, which the API server validates. */
const ANY_OBJECT: Schema = { type: 'object' };
const OBJECTS: Schema = { type: 'array', items: ANY_OBJECT };
const text = (pattern: string): Schema => ({ type: 'string', pattern });

/** An object in which a misspelt name is refused. */
const only = (properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema => ({
  type: 'object',
  ...(required && { required }),
  additionalProperties: false,
  properties,
});

/** Variables that the template of the Deployment sets itself. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(['METRICS_PORT', 'HEALTH_PROBE_PORT']);
/** Replaces the range that EKS reports, for clusters that EKS does not know. */
const SERVICE_CIDR = 'SERVICE_CIDR';

const settings = (): Schema => {
  const names = SETTINGS.filter(({ controller }) => controller === 'variable')
    .map(({ variable }) => variable)
    .filter((name) => !OWN_VARIABLES.has(name));
  const value: Schema = { type: ['string', 'number', 'boolean'] };
  return only(Object.fromEntries([...names, SERVICE_CIDR].map((name) => [name, value])));
};

/** Builds the schema of the chart's values. Helm refuses values that it does not name. */
const buildChartSchema = (): object => ({
  $schema: 'https://json-schema.org/draft-07/schema#',
  ...only(
    {
      clusterName: text('^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$'),
      clusterEndpoint: text('^https://'),
      region: text('^[a-z]{2}(-[a-z]+)+-[0-9]$'),
      interruptionQueue: TEXT,
      image: only({
        repository: TEXT,
        tag: TEXT,
        digest: text('^(sha256:[0-9a-f]{64})?$'),
        pullPolicy: { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] },
      }),
      imagePullSecrets: { type: 'array', items: only({ name: TEXT }) },
      replicas: { type: 'integer', minimum: 1 },
      serviceAccount: only({
        create: SWITCH,
        name: TEXT,
        roleArn: text('^(arn:[a-z-]+:iam::[0-9]{12}:role/.+)?$'),
        annotations: LABELS,
      }),
      rankPodsIn: { type: 'array', items: text('^([*]|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$') },
      settings: settings(),
      env: {
        type: 'array',
        items: only({ name: TEXT, value: TEXT, valueFrom: ANY_OBJECT }, ['name']),
      },
      resources: only({ requests: ANY_OBJECT, limits: ANY_OBJECT, claims: OBJECTS }),
      podAnnotations: LABELS,
      podLabels: LABELS,
      priorityClassName: TEXT,
      dnsPolicy: {
        type: 'string',
        enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
      },
      nodeSelector: LABELS,
      tolerations: OBJECTS,
      affinity: only({
        nodeAffinity: ANY_OBJECT,
        podAffinity: ANY_OBJECT,
        podAntiAffinity: ANY_OBJECT,
      }),
      topologySpreadConstraints: OBJECTS,
      terminationGracePeriodSeconds: { type: 'integer', minimum: 1 },
      podDisruptionBudget: only({
        enabled: SWITCH,
        maxUnavailable: { type: ['integer', 'string'] },
      }),
      metrics: only({ port: PORT }),
      healthProbe: only({ port: PORT }),
      serviceMonitor: only({
        enabled: SWITCH,
        interval: text('^[0-9]+(ms|s|m|h)$'),
        labels: LABELS,
      }),
      prometheusRule: only({ enabled: SWITCH, labels: LABELS, docsUrl: TEXT }),
      grafanaDashboards: only({ enabled: SWITCH, labels: LABELS, annotations: LABELS }),
      // Helm adds it if the chart is a part of another one.
      global: ANY_OBJECT,
    },
    ['clusterName', 'clusterEndpoint', 'region'],
  ),
});
