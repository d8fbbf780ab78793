import type { ClusterManifests, ManifestProblem } from '../../../shared/api/manifests/cluster-manifests.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';

/** Reads the manifests of a valid text. */
export function manifestsIn(text: string): ClusterManifests {
  const reading = readManifests([{ file: 'test.yaml', text }]);
  if (reading.outcome === 'read') return reading.manifests;
  throw new Error(reading.problems.map(brief).join('\n'));
}

/** Lists the problems of the text. */
export function problemsIn(text: string): readonly ManifestProblem[] {
  const reading = readManifests([{ file: 'test.yaml', text }]);
  return reading.outcome === 'refused' ? reading.problems : [];
}

/** Formats `bad-quantity 7:13 spec.limits.memory`. */
export const brief = ({ code, line, column, path }: ManifestProblem): string =>
  [code, `${line}:${column}`, path].filter((part) => part !== undefined).join(' ');

/** Writes plain data as a document: JSON is YAML. */
export const documents = (...objects: readonly unknown[]): string =>
  objects.map((object) => JSON.stringify(object)).join('\n---\n');

type Fields = Readonly<Record<string, unknown>>;

/** A valid NodePool. `spec` replaces fields of its spec, `template` those of its template's. */
export const nodePool = (spec: Fields = {}, template: Fields = {}, metadata: Fields = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'general' },
  spec: {
    template: {
      metadata,
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [],
        ...template,
      },
    },
    ...spec,
  },
});

/** A valid EC2NodeClass named `default`. `spec` replaces fields of its spec. */
export const nodeClass = (spec: Fields = {}, name = 'default') => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name },
  spec: {
    role: 'node-role',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { 'example.com/discovery': 'shop' } }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    ...spec,
  },
});

/** A Deployment with one container. `spec` replaces fields of the pod spec. */
export const deployment = (spec: Fields = {}, labels: Fields = { app: 'web' }) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web' }], ...spec } },
  },
});

/** A Job with one container. The fields replace its own, and the metadata. */
export const job = (spec: Fields = {}, metadata: Fields = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'batch', ...metadata },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main' }] } },
    ...spec,
  },
});
