import { existsSync, readdirSync } from 'node:fs';
import type { Answer, Request } from '../forward.ts';
import { readTemplate, type TemplateResource } from './template.ts';

/** The user and groups of a caller, which RBAC evaluates. */
export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Access entries as EKS has them. They apply at once, where EKS takes seconds. */
export interface AccessEntries {
  /**
   * Maps session tokens to callers. The token of a function is its name (see `lambda-node`), and
   * the access entry of its role gives the groups.
   */
  callerOf(sessionToken: string | undefined): Caller | undefined;
  /** Answers the calls about access policies; undefined for every other call of EKS. */
  answer(request: Pick<Request, 'method' | 'path'>): Answer | undefined;
  /** The roles that are administrators of a cluster: stack and logical id. */
  administrators(): readonly string[];
  /** The stack and its access entries were deleted. */
  forget(): void;
}

const ADMINISTRATOR = 'AmazonEKSClusterAdminPolicy';
const POLICIES = /^\/clusters\/[^/]+\/access-entries\/([^/]+)\/access-policies(?:\/([^/]+))?$/;

interface Entry {
  readonly stack: string;
  readonly resource: TemplateResource;
  /** The logical id of the role. */
  readonly role: string;
}

/**
 * The local CloudFormation does not support access entries, so they are read from the templates.
 *
 * @param assembly - folder of the synthesised stacks
 */
export function createAccessEntries(assembly: string): AccessEntries {
  /** Roles whose access policy was removed by a call. */
  const ended = new Set<string>();
  const readStacks = () =>
    stacksIn(assembly).map((stack) => ({ stack, resources: readTemplate(assembly, stack) }));
  const entriesIn = ({ stack, resources }: ReturnType<typeof readStacks>[number]): Entry[] =>
    resources
      .filter(({ type }) => type === 'AWS::EKS::AccessEntry')
      .map((resource) => ({
        ...{ stack, resource },
        role: attributeOwner(resource.properties.PrincipalArn) ?? '',
      }));
  const readEntries = () => readStacks().flatMap(entriesIn);
  const isAdministrator = (entry: Entry): boolean =>
    JSON.stringify(entry.resource.properties.AccessPolicies ?? '').includes(ADMINISTRATOR) &&
    !ended.has(principalOf(entry));

  return {
    callerOf(sessionToken) {
      // A call without a session token comes from the command line of the cluster's creator, an
      // administrator.
      if (sessionToken === undefined) return { name: 'person', groups: ['system:masters'] };

      const owned = readStacks().flatMap((one) => {
        const fn = one.resources.find(
          ({ type, logicalId }) =>
            type === 'AWS::Lambda::Function' &&
            sessionToken.startsWith(`${one.stack}-${logicalId}`.slice(0, 50)),
        );
        const role = fn && attributeOwner(fn.properties.Role);
        return entriesIn(one).filter((entry) => entry.role === role);
      });
      if (owned.length === 0) return undefined;
      const groups = owned.flatMap((entry) => [
        ...groupsOf(entry.resource),
        ...(isAdministrator(entry) ? ['system:masters'] : []),
      ]);
      return { name: sessionToken, groups };
    },
    answer({ method, path }) {
      const [, principal, policy] = POLICIES.exec(path.split('?')[0] ?? '') ?? [];
      if (principal === undefined) return undefined;
      const arn = decodeURIComponent(principal);
      const entry = readEntries().find((one) => arn.includes(`/${principalOf(one)}`));
      if (!entry) return json(404, { __type: 'ResourceNotFoundException' });
      if (method === 'DELETE' && policy !== undefined) {
        ended.add(principalOf(entry));
        return json(200, {});
      }
      const policyArn = `arn:aws:eks::aws:cluster-access-policy/${ADMINISTRATOR}`;
      const associatedAt = Date.now() / 1_000;
      return json(200, {
        associatedAccessPolicies: isAdministrator(entry) ? [{ policyArn, associatedAt }] : [],
      });
    },
    administrators: () => readEntries().filter(isAdministrator).map(principalOf),
    forget: () => ended.clear(),
  };
}

const SUFFIX = '.template.json';

const stacksIn = (assembly: string): readonly string[] =>
  existsSync(assembly)
    ? readdirSync(assembly).flatMap((file) =>
        file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : [],
      )
    : [];

/** The local IAM derives the name of a role from stack and logical id. */
const principalOf = ({ stack, role }: Entry): string => `${stack}-${role}`;

/** Returns the logical id of `{"Fn::GetAtt": ["<logical id>", "Arn"]}`. */
const attributeOwner = (value: unknown): string | undefined =>
  /"Fn::GetAtt":\["(\w+)"/.exec(JSON.stringify(value ?? ''))?.[1];

const groupsOf = ({ properties: { KubernetesGroups: groups } }: TemplateResource) =>
  Array.isArray(groups) ? groups.map(String) : [];

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});
