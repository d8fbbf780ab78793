import * as z from 'zod';
import { findNearestWord } from '../../model/nearest-word.ts';
import { type ManifestFinding, type ParseResult, quote, quoteUnlessName, refuseByRule } from '../finding.ts';
import { MANIFEST_KINDS, type ManifestKind, SUPERSEDED } from './kinds.ts';
import type { ManifestObject } from './manifest-object.ts';

/** An object of a kind that is read, with its name. */
export interface IdentifiedObject extends ManifestObject {
  readonly name: string;
  readonly namespace: string;
  readonly reader: ManifestKind;
  /** The object of the same namespace that created it: `ReplicaSet web-6c9d`. */
  readonly controller?: string;
}

/** Objects of other kinds are skipped and reported by name. */
export type Identification = { readonly outcome: 'skipped'; readonly name: string } | ParseResult<IdentifiedObject>;

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
const MAX_NAME_LENGTH = 253;

/**
 * @param ordinal - appended to `generateName`, instead of the API server's random letters
 */
export function identify(object: ManifestObject, ordinal: number): Identification {
  const header: Header = headerSchema.safeParse(object.value).data?.metadata ?? {
    ownerReferences: [],
  };
  const name = header.name ?? (header.generateName ? `${header.generateName}${ordinal}` : '');
  const [group, version] = splitVersion(object.apiVersion);

  const successor = SUPERSEDED.get(`${group}/${object.kind}`);
  if (successor) return refuse(superseded(object, successor));
  const reader = MANIFEST_KINDS.get(object.kind);
  if (!reader) return isMisspelt(object, group) ? refuse(unknownKind(object)) : skip(name);
  if (reader.group !== group || reader.version !== version) {
    return GROUPS.has(group) ? refuse(wrongVersion(object, reader)) : skip(name);
  }
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) return refuse(badName(name));
  return { outcome: 'read', value: toIdentifiedObject(object, header, name, reader) };
}

function toIdentifiedObject(
  object: ManifestObject,
  { namespace = 'default', ownerReferences }: Header,
  name: string,
  reader: ManifestKind,
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

/** Groups that we know. A known kind in another group is another resource. */
const GROUPS: ReadonlySet<string> = new Set([
  ...[...MANIFEST_KINDS.values()].map(({ group }) => group),
  // The original group of Deployments and DaemonSets.
  'extensions',
]);

const isOurs = (group: string): boolean => group === 'karpenter.sh' || group === 'karpenter.k8s.aws';

/** In our own groups every kind is known, so another kind is a misspelling. */
const isMisspelt = ({ kind }: ManifestObject, group: string): boolean => isOurs(group) && kind !== 'NodeOverlay';

const skip = (name: string): Identification => ({ outcome: 'skipped', name });

const refuse = (finding: ManifestFinding): Identification => ({
  outcome: 'refused',
  findings: [finding],
});

const unknownKind = ({ apiVersion, kind }: ManifestObject): ManifestFinding => {
  const meant = findNearestWord(kind, MANIFEST_KINDS.keys());
  return {
    path: ['kind'],
    ...refuseByRule(
      'kind',
      `no kind ${quoteUnlessName(kind)} in ${quoteUnlessName(apiVersion)}`,
      'kinds of this group are NodePool, NodeClaim, NodeOverlay and EC2NodeClass',
      meant ? `write ${meant}` : 'write one of them',
    ),
  };
};

const superseded = ({ apiVersion, kind }: ManifestObject, successor: string): ManifestFinding => ({
  path: ['apiVersion'],
  ...refuseByRule(
    'apiVersion',
    `${kind} of ${quoteUnlessName(apiVersion)} is not read`,
    `karpenter.sh/v1 has ${successor} in its place`,
    `write a ${successor} of v1, as \`mortise convert\` does`,
  ),
});

const wrongVersion = ({ apiVersion, kind }: ManifestObject, { group, version }: ManifestKind): ManifestFinding => {
  const expected = group === '' ? version : `${group}/${version}`;
  const how = isOurs(group) ? ', as `mortise convert` does' : '';
  return {
    path: ['apiVersion'],
    ...refuseByRule(
      'apiVersion',
      `${kind} of ${quoteUnlessName(apiVersion)} is not read`,
      `${kind} is read as ${expected}`,
      `rewrite it as ${expected}${how}`,
    ),
  };
};

const badName = (name: string): ManifestFinding => ({
  path: ['metadata', 'name'],
  ...refuseByRule(
    'metadata.name',
    name === '' ? 'name is missing' : `${quote(name)} is no name`,
    `lower-case letters, digits, "-" and ".", ${MAX_NAME_LENGTH} characters at most`,
    'name the object',
  ),
});

/** Formats `NodePool general` or `Deployment shop/web`. */
export const describeObject = ({
  kind,
  namespace,
  name,
}: Pick<IdentifiedObject, 'kind' | 'namespace' | 'name'>): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
