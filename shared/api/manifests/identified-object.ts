import * as z from 'zod';
import { type Finding, named, quoted, type Reading, ruleRefused } from '../finding.ts';
import { KINDS, type Kind, SUPERSEDED } from './kinds.ts';
import type { ManifestObject } from './manifest-object.ts';
import { nearestWord } from '../nearest-word.ts';

/** An object of a kind that is read, under the name by which others refer to it. */
export interface IdentifiedObject extends ManifestObject {
  readonly name: string;
  readonly namespace: string;
  readonly reader: Kind;
  /** The object that made this one, of the same namespace: `ReplicaSet web-6c9d`. */
  readonly controller?: string;
}

/** Kinds that are not read are told by name, as far as they have one. */
export type Identification =
  | { readonly outcome: 'skipped'; readonly name: string }
  | Reading<IdentifiedObject>;

const headerSchema = z.object({
  metadata: z.object({
    name: z.string().optional().catch(undefined),
    generateName: z.string().optional().catch(undefined),
    namespace: z.string().optional().catch(undefined),
    ownerReferences: z
      .array(z.object({ kind: z.string(), name: z.string(), controller: z.boolean().optional() }))
      .default([])
      .catch([]),
  }),
});
type Header = z.output<typeof headerSchema>['metadata'];

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const LONGEST_NAME = 253;

/** @param ordinal - stands behind `generateName`, as the API server's random letters do */
export function identify(object: ManifestObject, ordinal: number): Identification {
  const header: Header = headerSchema.safeParse(object.value).data?.metadata ?? {
    ownerReferences: [],
  };
  const name = header.name ?? (header.generateName ? `${header.generateName}${ordinal}` : '');
  const [group, version] = splitVersion(object.apiVersion);

  const successor = SUPERSEDED.get(`${group}/${object.kind}`);
  if (successor) return refused(superseded(object, successor));
  const reader = KINDS.get(object.kind);
  if (!reader) return isMisspelt(object, group) ? refused(unknownKind(object)) : skipped(name);
  if (reader.group !== group || reader.version !== version) {
    return GROUPS.has(group) ? refused(wrongVersion(object, reader)) : skipped(name);
  }
  if (name.length > LONGEST_NAME || !NAME.test(name)) return refused(badName(name));
  return { outcome: 'read', value: identified(object, header, name, reader) };
}

function identified(
  object: ManifestObject,
  { namespace = 'default', ownerReferences }: Header,
  name: string,
  reader: Kind,
): IdentifiedObject {
  const controller = ownerReferences.find((reference) => reference.controller);
  return {
    ...object,
    name,
    namespace: reader.isNamespaced ? namespace : '',
    reader,
    ...(controller ? { controller: `${controller.kind} ${controller.name}` } : {}),
  };
}

function splitVersion(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.lastIndexOf('/');
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
}

/** Groups whose kinds we know; a known kind in another group is somebody else's. */
const GROUPS: ReadonlySet<string> = new Set([
  ...[...KINDS.values()].map(({ group }) => group),
  // Where Deployments and DaemonSets began.
  'extensions',
]);

const isOurs = (group: string): boolean =>
  group === 'karpenter.sh' || group === 'karpenter.k8s.aws';

/** Everything in our own groups is known. */
const isMisspelt = ({ kind }: ManifestObject, group: string): boolean =>
  isOurs(group) && kind !== 'NodeOverlay';

const skipped = (name: string): Identification => ({ outcome: 'skipped', name });

const refused = (finding: Finding): Identification => ({ outcome: 'refused', findings: [finding] });

const unknownKind = ({ apiVersion, kind }: ManifestObject): Finding => {
  const meant = nearestWord(kind, KINDS.keys());
  return {
    path: ['kind'],
    ...ruleRefused(
      'kind',
      `no kind ${named(kind)} in ${named(apiVersion)}`,
      'kinds of this group are NodePool, NodeClaim, NodeOverlay and EC2NodeClass',
      meant ? `write ${meant}` : 'write one of them',
    ),
  };
};

const superseded = ({ apiVersion, kind }: ManifestObject, successor: string): Finding => ({
  path: ['apiVersion'],
  ...ruleRefused(
    'apiVersion',
    `${kind} of ${named(apiVersion)} is not read`,
    `karpenter.sh/v1 has ${successor} in its place`,
    `write a ${successor} of v1, as \`mortise convert\` does`,
  ),
});

const wrongVersion = ({ apiVersion, kind }: ManifestObject, { group, version }: Kind): Finding => {
  const wanted = group === '' ? version : `${group}/${version}`;
  const how = isOurs(group) ? ', as `mortise convert` does' : '';
  return {
    path: ['apiVersion'],
    ...ruleRefused(
      'apiVersion',
      `${kind} of ${named(apiVersion)} is not read`,
      `${kind} is read as ${wanted}`,
      `rewrite it as ${wanted}${how}`,
    ),
  };
};

const badName = (name: string): Finding => ({
  path: ['metadata', 'name'],
  ...ruleRefused(
    'metadata.name',
    name === '' ? 'name is missing' : `${quoted(name)} is no name`,
    `lower-case letters, digits, "-" and ".", ${LONGEST_NAME} characters at most`,
    'name the object',
  ),
});

/** `NodePool general`, `Deployment shop/web`. */
export const describeObject = ({
  kind,
  namespace,
  name,
}: Pick<IdentifiedObject, 'kind' | 'namespace' | 'name'>): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
