import * as z from 'zod';
import { MANAGED_BY, MANAGED_BY_LABEL } from './manifest.ts';

export const RELEASE_ANNOTATION = 'mortise.sh/release';

const textsSchema = z.record(z.string(), z.string()).default({});

const crdSchema = z.object({
  metadata: z.object({ labels: textsSchema, annotations: textsSchema }),
  spec: z.object({ versions: z.array(z.object({ name: z.string(), served: z.boolean() })) }),
  status: z
    .object({
      // The API server stores null until it sets the first condition.
      conditions: z
        .array(z.object({ type: z.string(), status: z.string() }))
        .nullish()
        .transform((conditions) => conditions ?? []),
    })
    .prefault({}),
});

/** A CustomResourceDefinition in the cluster. */
type LiveCrd = z.output<typeof crdSchema>;

/**
 * @throws ZodError - the API server cannot have stored it
 */
export const readCrd = (raw: unknown): LiveCrd => crdSchema.parse(raw);

type CrdOwnership =
  | { readonly action: 'apply' }
  | { readonly action: 'leave'; readonly keeper: string; readonly isUsable: boolean };

/**
 * Decides whether we write a CRD. A CRD of another manager stays untouched: two writers would
 * overwrite each other, and deleting a CRD deletes all of its objects.
 *
 * @param version - the version that we read and write
 */
export function decideCrdOwnership(live: LiveCrd | undefined, version: string): CrdOwnership {
  if (!live) return { action: 'apply' };
  const keeper = findOtherManager(live);
  if (keeper === undefined) return { action: 'apply' };
  const isUsable = live.spec.versions.some(({ name, served }) => name === version && served);
  return { action: 'leave', keeper, isUsable };
}

const ownVersionSchema = z.object({
  spec: z.object({ versions: z.tuple([z.object({ name: z.string() })]) }),
});

/**
 * Reads the version that we use from our own definition, which has one.
 *
 * @throws ZodError - it has none, or several
 */
export const versionOfOwnCrd = (own: unknown): string => ownVersionSchema.parse(own).spec.versions[0].name;

export const isEstablished = ({ status }: LiveCrd): boolean =>
  status.conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');

/** GitOps tools mark the objects that they manage, including objects created by other tools. */
const MANAGER_PREFIXES: readonly (readonly [prefix: string, keeper: string])[] = [
  ['meta.helm.sh/', 'Helm'],
  ['argocd.argoproj.io/', 'Argo CD'],
  ['kustomize.toolkit.fluxcd.io/', 'Flux'],
  ['helm.toolkit.fluxcd.io/', 'Flux'],
  ['eks.amazonaws.com/', 'EKS'],
];

/** Returns `undefined` if this or an older release of Mortise manages the CRD. */
function findOtherManager({ metadata: { labels, annotations } }: LiveCrd): string | undefined {
  const keys = [...Object.keys(labels), ...Object.keys(annotations)];
  const otherTool = MANAGER_PREFIXES.find(([prefix]) => keys.some((key) => key.startsWith(prefix)));
  if (otherTool) return otherTool[1];

  const manager = labels[MANAGED_BY_LABEL];
  if (manager !== MANAGED_BY) return manager ?? 'the tool that installed it';
  const release = annotations[RELEASE_ANNOTATION] ?? RELEASE;
  return isNewer(release, RELEASE) ? `Mortise ${release}` : undefined;
}

/** The release of these manifests; equal to the version in package.json. */
export const RELEASE = '0.1.0';

/** Compares the numbers; a suffix after `-` is ignored. */
export function isNewer(release: string, than: string): boolean {
  const [a, b] = [parseNumbers(release), parseNumbers(than)];
  const index = a.findIndex((number, at) => number !== (b[at] ?? 0));
  return index >= 0 && (a[index] ?? 0) > (b[index] ?? 0);
}

const parseNumbers = (release: string): readonly number[] => (release.split('-')[0] ?? '').split('.').map(Number);
